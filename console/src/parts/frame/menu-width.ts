const storageKey = 'assay.menu';

/** Whether the menu shows its signs alone: kept for each browser. */
export const isMenuNarrow = (): boolean => localStorage.getItem(storageKey) === 'narrow';

export function narrowMenu(isNarrow: boolean): void {
  if (isNarrow) localStorage.setItem(storageKey, 'narrow');
  else localStorage.removeItem(storageKey);
}
