(element) => {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  const view = {width: innerWidth, height: innerHeight};
  const inside = x >= 0 && y >= 0 && x < view.width && y < view.height;
  const shown = (one) => {
    let text = '<' + one.localName + (one.id ? ' id="' + one.id + '"' : '');
    const classes = typeof one.className === 'string' ? one.className.trim() : '';
    return (text + (classes ? ' class="' + classes + '"' : '') + '>').slice(0, 200);
  };
  const up = (one) => one.assignedSlot ?? one.parentElement ?? one.getRootNode().host ?? null;
  let ignores = null;
  for (let one = element; one && getComputedStyle(one).pointerEvents === 'none'; one = up(one)) ignores = one;
  let inert = null;
  for (let one = element; one && !inert; one = up(one)) if (one.inert) inert = one;
  const dialogs = [...document.querySelectorAll('dialog:modal')];
  const dialog = dialogs.at(-1) ?? null;
  let inDialog = !dialog;
  for (let one = element; one && !inDialog; one = up(one)) inDialog = one === dialog;
  let fieldset = null;
  for (let one = element; one && !fieldset; one = up(one))
    if (one !== element && (one.localName === 'fieldset' && one.disabled ||
      one.getAttribute('aria-disabled') === 'true')) fieldset = one;
  let covered = null;
  if (inside) {
    const hit = element.getRootNode().elementFromPoint(x, y);
    if (hit && hit !== element && !element.contains(hit)) covered = shown(hit);
  }
  return {
    element: shown(element),
    connected: element.isConnected,
    display: style.display,
    visibility: style.visibility,
    rendered: element.getClientRects().length > 0,
    box: {x: Math.round(box.x), y: Math.round(box.y), width: Math.round(box.width),
          height: Math.round(box.height)},
    viewport: view,
    inside,
    disabled: element.matches(':disabled') || element.closest('[aria-disabled=true]') !== null,
    read_only: element.readOnly === true,
    editable: element.isContentEditable || ['input', 'textarea', 'select'].includes(element.localName),
    covered_by: covered,
    ignores_pointer: ignores && shown(ignores),
    inert: inert && shown(inert),
    modal: inDialog ? null : shown(dialog),
    disabled_by: fieldset && shown(fieldset),
    opacity: style.opacity,
  };
}
