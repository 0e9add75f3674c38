// The keys of the grid beside this are its own: JupyterLab would go to another cell.
const OWN = "data-lm-suppress-shortcuts";
function render({ el }) {
  const claim = () => {
    const grid = el.parentElement;
    if (!grid) return requestAnimationFrame(claim);
    if (grid.hasAttribute(OWN)) return; // this is drawn anew with every grid
    grid.setAttribute(OWN, "true");
    grid.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const open = event.target.closest("tbody tr");
      if (event.key === "Tab" && open) {
        // it leaves the rows, of which there may be thousands
        for (const row of grid.querySelectorAll("tbody tr")) row.tabIndex = row === open ? 0 : -1;
      }
      const again = new KeyboardEvent(event.type, event);
      document.body.dispatchEvent(again); // the grid listens to the document
      if (again.defaultPrevented) event.preventDefault();
    });
  };
  claim();
}
export default { render };
