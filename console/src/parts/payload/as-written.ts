import { useSyncExternalStore } from 'react';

const storageKey = 'assay.asWritten';
const listeners = new Set<() => void>();

/** Whether texts are shown as they were written, without their Markdown drawn: kept per browser. */
export function useAsWritten(): [isAsWritten: boolean, set: (isAsWritten: boolean) => void] {
  return [useSyncExternalStore(subscribe, isAsWritten), setAsWritten];
}

const isAsWritten = (): boolean => localStorage.getItem(storageKey) === 'yes';

function setAsWritten(chosen: boolean): void {
  if (chosen) localStorage.setItem(storageKey, 'yes');
  else localStorage.removeItem(storageKey);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
