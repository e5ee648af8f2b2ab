/** What a browser that translates the page shows in place of a text. */
const translations = new WeakMap<Node, ChildNode>();

/**
 * A browser that translates the page replaces its texts by elements. React still changes the texts that are gone, so
 * that old values stayed, and fails when it removes one of them (https://github.com/facebook/react/issues/11538).
 */
export function allowBrowserTranslation(): void {
  const changed = new MutationObserver((changes) => {
    // The browser translates it again.
    for (const { target } of changes) translations.get(target)?.replaceWith(target);
  });
  const replaced = new MutationObserver((changes) => {
    for (const { removedNodes, addedNodes, previousSibling, nextSibling } of changes) {
      const text = [...removedNodes].find((node) => node instanceof Text);
      const translation = [...addedNodes, previousSibling, nextSibling].find((node) => node?.nodeName === 'FONT');
      if (!text || !translation) continue;
      translations.set(text, translation as ChildNode);
      changed.observe(text, { characterData: true });
    }
  });
  replaced.observe(document, { childList: true, subtree: true });

  const shown = <Shown extends Node | null>(node: Shown): Shown =>
    node && !node.parentNode ? ((translations.get(node) as Shown | undefined) ?? node) : node;
  const { insertBefore, removeChild } = Node.prototype;
  Node.prototype.insertBefore = function (node, before) {
    return insertBefore.call(this, node, shown(before)) as typeof node;
  };
  Node.prototype.removeChild = function (node) {
    return removeChild.call(this, shown(node)) as typeof node;
  };
}
