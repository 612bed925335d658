/** Light, dark, or as the system is: kept for each browser. */
export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'assay.theme';

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(storageKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, theme);
  applyTheme();
}

/** Writes the chosen theme where the style sheet reads it. */
export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
