import { useRef } from 'react';

/** A field that is not there after so long does not come: the keys are the page's again. In ms. */
const longestMs = 5000;

/**
 * Holds the keys that a person presses between the opening of a field and its being there, as while its code is
 * loaded. Nothing else on the page hears these keys: they would be shortcuts there.
 */
export function useTypedAhead() {
  const typed = useRef('');
  const stop = useRef<() => void>(undefined);
  return {
    begin: () => {
      typed.current = '';
      const hold = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key.length === 1) typed.current += event.key;
        else if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1);
        else return;
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      const end = () => window.removeEventListener('keydown', hold, { capture: true });
      stop.current?.();
      stop.current = end;
      window.addEventListener('keydown', hold, { capture: true });
      setTimeout(end, longestMs);
    },
    /** The field is there. Returns the text that was typed before. */
    end: (): string => {
      stop.current?.();
      return typed.current;
    },
  };
}
