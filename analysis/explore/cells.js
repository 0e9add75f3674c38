// A table of buttons: heads sort, cells are pressed and released; arrow keys go from one to the next.
function render({ model, el }) {
  const make = (parent, tag, text, attributes = {}) => {
    const node = parent.appendChild(document.createElement(tag));
    node.textContent = text; // names are other people's: text, never HTML
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const same = (one, other) => one[0] === other[0] && one[1] === other[1];
  const number = (text) => parseFloat(text.replace("−", "-").replace(/,/g, ""));
  let sorted = null; // [column, 1 up or -1 down]
  let grid = [];
  const press = (place) => {
    const chosen = model.get("chosen");
    const rest = chosen.filter((one) => !same(one, place));
    const next = rest.length < chosen.length ? rest : [...chosen, place].slice(-model.get("most"));
    model.set("chosen", next);
    model.save_changes();
  };
  const mark = () => {
    el.querySelectorAll("button[data-place]").forEach((one) => {
      const place = JSON.parse(one.dataset.place);
      one.setAttribute("aria-pressed", model.get("chosen").some((other) => same(other, place)));
    });
  };
  const button = (cell, text, label, at, act) => {
    const one = make(cell, "button", text, { type: "button", "aria-label": label, title: label, tabindex: "-1" });
    (grid[at[0]] ??= [])[at[1]] = one;
    one.addEventListener("click", act);
    one.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // JupyterLab would leave the cell
      let [row, column] = at;
      do { // over what is plain text
        row += step[0];
        column += step[1];
      } while (column >= 0 && column < grid[row]?.length && !grid[row][column]);
      grid[row]?.[column]?.focus();
    });
    one.addEventListener("focus", () => { // the Tab key stops once in the table, where one was last
      el.querySelectorAll("button[tabindex='0']").forEach((other) => (other.tabIndex = -1));
      one.tabIndex = 0;
    });
    return one;
  };
  const order = (rows) => {
    const places = rows.map((_, row) => row);
    if (!sorted) return places;
    const [column, way] = sorted;
    const text = (row) => rows[row][column];
    const compare = (a, b) => {
      const [x, y] = [number(text(a)), number(text(b))];
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y) || way * text(a).localeCompare(text(b));
      return way * (x - y);
    };
    return places.sort(compare);
  };
  const draw = () => {
    const { caption, heads = [], rows = [], opens } = model.get("table");
    el.replaceChildren();
    el.classList.add("polyexam-cells");
    grid = [];
    make(el, "p", caption); // outside of the table, whose width it would take
    const table = make(make(el, "div", ""), "table", "", { "aria-label": caption });
    const top = make(make(table, "thead", ""), "tr", "");
    const body = make(table, "tbody", "");
    heads.forEach((text, column) => {
      const head = make(top, "th", "", { scope: "col" });
      const way = sorted?.[0] === column ? sorted[1] : 0;
      if (way) head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      button(head, text + (way ? (way > 0 ? " ▲" : " ▼") : ""), `sort by ${text}`, [0, column], () => {
        sorted = [column, way < 0 ? 1 : -1];
        draw();
        grid[0][column].focus();
      });
    });
    order(rows).forEach((row, line) => {
      const record = make(body, "tr", "");
      rows[row].forEach((text, column) => {
        const cell = column ? make(record, "td", "") : make(record, "th", "", { scope: "row" });
        if (!opens[column]) return (cell.textContent = text);
        const label = `${rows[row][0]}, ${heads[column]}: ${text}`;
        const one = button(cell, text, label, [line + 1, column], () => press([row, column]));
        one.dataset.place = JSON.stringify([row, column]);
      });
    });
    (grid[1]?.find(Boolean) ?? grid[0]?.[0])?.setAttribute("tabindex", "0");
    mark();
  };
  model.on("change:table", draw);
  model.on("change:chosen", mark);
  draw();
}
export default { render };
