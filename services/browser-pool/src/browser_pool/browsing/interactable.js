(root, most) => {
  const WANTED = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],' +
    '[contenteditable=true],[onclick],[tabindex]:not([tabindex="-1"]),[role=button],[role=link],' +
    '[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=option],[role=switch],[role=combobox],' +
    '[role=textbox],[role=searchbox],[role=slider]';
  const INPUTS = {button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
    radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'button'};
  const short = (text, length) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, length);
  const role = e => e.getAttribute('role') || ({a: 'link', button: 'button', select: e.multiple ? 'listbox' :
    'combobox', textarea: 'textbox', summary: 'button', input: INPUTS[e.type] ?? 'textbox'})[e.localName] ||
    (e.isContentEditable ? 'textbox' : 'generic');
  const name = e => {
    const by = (e.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean)
      .map(id => document.getElementById(id)?.textContent ?? '').join(' ');
    const labels = [...(e.labels ?? [])].map(l => l.innerText).join(' ');
    const button = e.localName === 'input' && ['submit', 'button', 'reset'].includes(e.type) ? e.value : '';
    const own = ['input', 'select', 'textarea'].includes(e.localName) ? '' : e.innerText;
    const image = e.querySelector?.('img[alt]')?.alt;
    for (const one of [by, e.getAttribute('aria-label'), labels, button, e.alt, own, image, e.placeholder,
      e.title, e.name]) if (typeof one === 'string' && one.trim()) return short(one, 200);
    return '';
  };
  const alone = selector => {
    try { return document.querySelectorAll(selector).length === 1; } catch { return false; }
  };
  const selector = e => {
    const tag = e.localName;
    if (e.id && e.id.length < 100 && alone('#' + CSS.escape(e.id))) return '#' + CSS.escape(e.id);
    for (const key of ['data-testid', 'data-test', 'name', 'aria-label', 'placeholder', 'href', 'value']) {
      const value = e.getAttribute(key);
      if (!value || value.length > 200) continue;
      const found = tag + '[' + key + '=' + JSON.stringify(value) + ']';
      if (alone(found)) return found;
    }
    const path = [];
    for (let one = e; one && one.nodeType === 1; one = one.parentElement) {
      if (one.id && one.id.length < 100 && alone('#' + CSS.escape(one.id))) {
        path.unshift('#' + CSS.escape(one.id));
        break;
      }
      const same = one.parentElement ? [...one.parentElement.children].filter(c => c.localName === one.localName)
        : [one];
      path.unshift(one.localName + (same.length > 1 ? ':nth-of-type(' + (same.indexOf(one) + 1) + ')' : ''));
    }
    return path.join(' > ');
  };
  const found = [];
  for (const e of root.querySelectorAll(WANTED)) {
    if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const box = e.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    found.push({
      role: short(role(e), 40), name: name(e), tag: e.localName,
      type: e.localName === 'input' || e.localName === 'button' ? e.type : null,
      value: e.type === 'password' ? null : typeof e.value === 'string' ? e.value.slice(0, 200) : null,
      href: e.localName === 'a' ? String(e.href).slice(0, 1000) : null,
      disabled: e.matches(':disabled') || e.getAttribute('aria-disabled') === 'true',
      in_view: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
      box: {x: Math.round(box.x), y: Math.round(box.y), width: Math.round(box.width),
            height: Math.round(box.height)},
      selector: selector(e),
    });
    if (found.length > most) break;
  }
  return found;
}
