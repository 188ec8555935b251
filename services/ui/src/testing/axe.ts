import axe from "axe-core";

/** The accessibility rules that a piece of the page breaks. Contrast needs a real browser: jsdom has no layout. */
export async function violations(container: Element): Promise<string[]> {
  const { violations } = await axe.run(container, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}
