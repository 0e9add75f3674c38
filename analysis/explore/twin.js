export default { // the library stands above: nothing else is named here
  async render({ model, el }) {
    el.classList.add("polyexam-twin");
    const place = el.appendChild(document.createElement("div"));
    const options = { ast: true, actions: false, renderer: "svg" }; // ast: expressions are interpreted, never evaluated
    const embed = (window.polyexamEmbed ??= window.vegaEmbed); // one for all charts of a page: it numbers their clip paths
    const { view } = await embed(place, structuredClone(model.get("spec")), options);
    view.addEventListener("click", (_, item) => {
      const row = item?.mark?.marktype === "line" ? undefined : item?.datum?.place; // a line is no single number
      if (!Number.isInteger(row)) return;
      model.set("chosen", [row, (model.get("chosen")[1] || 0) + 1]);
      model.save_changes();
    });
    return () => view.finalize();
  },
};
