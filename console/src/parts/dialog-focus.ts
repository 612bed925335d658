const fields = 'input:not([type=hidden]), select, textarea, [contenteditable=true]';

/**
 * Shows a dialog with the focus on the field that comes first, which may be drawn later. Returns a
 * function that closes it, and gives the focus back.
 */
export function focusFirst(dialog: HTMLDialogElement): () => void {
  const opener = document.activeElement;
  let placed: HTMLElement | undefined;
  const place = () => {
    placed = firstOf(dialog);
    placed.focus();
  };
  const onChange = () => {
    const active = document.activeElement;
    if (!active || active === document.body || active === placed) place();
  };
  const drawn = new MutationObserver(onChange);
  /** From now on the focus is where the person puts it, but where that is removed. */
  const onUse = () => {
    placed = undefined;
  };
  dialog.showModal();
  place();
  drawn.observe(dialog, { childList: true, subtree: true });
  dialog.addEventListener('keydown', onUse);
  dialog.addEventListener('pointerdown', onUse);
  return () => {
    drawn.disconnect();
    dialog.close();
    // When all else of this step is drawn, too.
    queueMicrotask(() => focusBack(opener));
  };
}

/** The first field; without one the main button, else the first: beside a danger it is harmless. */
function firstOf(dialog: HTMLDialogElement): HTMLElement {
  const visible = (selector: string) =>
    [...dialog.querySelectorAll<HTMLElement>(selector)].find(
      (element) => element.checkVisibility() && !element.matches(':disabled'),
    );
  return (
    visible('[data-focus-first]') ??
    visible(fields) ??
    visible('[data-main]') ??
    visible('button, a') ??
    dialog
  );
}

/** To the opener of the dialog; to its menu if that has closed, to the title of the page without it. */
function focusBack(opener: Element | null): void {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body) return;
  const menu = opener?.closest('[popover]');
  const places = [
    opener,
    menu && document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`),
    document.querySelector('main h1'),
  ];
  places
    .find((place): place is HTMLElement => place instanceof HTMLElement && place.checkVisibility())
    ?.focus();
}
