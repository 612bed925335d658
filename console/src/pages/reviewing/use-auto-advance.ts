import { useState } from 'react';

const storageKey = 'assay.auto-advance';

/** Whether the value of a single metric of pass or fail is saved as it is given. */
export function useAutoAdvance(): { isOn: boolean; set: (isOn: boolean) => void } {
  const [isOn, setOn] = useState(() => localStorage.getItem(storageKey) === 'on');
  return {
    isOn,
    set: (chosen) => {
      if (chosen) localStorage.setItem(storageKey, 'on');
      else localStorage.removeItem(storageKey);
      setOn(chosen);
    },
  };
}
