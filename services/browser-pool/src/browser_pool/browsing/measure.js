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
  };
}
