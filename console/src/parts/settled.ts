import { useEffect, useState } from 'react';

/** The pause in typing after which the server is asked, in ms. */
const pauseMs = 300;

/** The value once it has stayed the same for a while. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
