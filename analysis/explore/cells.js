// A table whose numbers are buttons: arrow keys go from one to the next, Enter, Space or a click opens what is behind it.
function render({ model, el }) {
  const make = (parent, tag, text, attributes = {}) => {
    const node = parent.appendChild(document.createElement(tag));
    node.textContent = text; // names are other people's: text, never HTML
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const draw = () => {
    const { caption, heads, rows } = model.get("table");
    el.replaceChildren();
    el.classList.add("polyexam-cells");
    const table = make(el, "table", "");
    make(table, "caption", caption);
    const top = make(make(table, "thead", ""), "tr", "");
    const body = make(table, "tbody", "");
    const grid = [];
    const button = (cell, text, label, place) => {
      const one = make(cell, "button", text, { type: "button", "aria-label": label, title: label, tabindex: "-1" });
      (grid[place[0]] ??= [])[place[1]] = one;
      one.addEventListener("click", () => {
        el.querySelector("[aria-current]")?.removeAttribute("aria-current");
        one.setAttribute("aria-current", "true");
        model.set("chosen", [...place, (model.get("chosen")[2] || 0) + 1]);
        model.save_changes();
      });
      one.addEventListener("keydown", (event) => {
        const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation(); // JupyterLab would leave the cell
        const next = grid[place[0] + step[0]]?.[place[1] + step[1]];
        next?.focus();
      });
      one.addEventListener("focus", () => { // the Tab key stops once in the table, where one was last
        el.querySelectorAll("button[tabindex='0']").forEach((other) => (other.tabIndex = -1));
        one.tabIndex = 0;
      });
    };
    heads.forEach(({ text, label }, column) => {
      const head = make(top, "th", "", { scope: "col" });
      label ? button(head, text, label, [0, column]) : (head.textContent = text);
    });
    rows.forEach((cells, row) => {
      const line = make(body, "tr", "");
      cells.forEach(({ text, label }, column) => {
        const cell = column ? make(line, "td", "") : make(line, "th", "", { scope: "row" });
        label ? button(cell, text, label, [row + 1, column]) : (cell.textContent = text);
      });
    });
    (grid[1]?.[1] ?? el.querySelector("button"))?.setAttribute("tabindex", "0");
  };
  model.on("change:table", draw);
  draw();
}
export default { render };
