import { useEffect, useState } from 'react';
import styles from './copy.module.css';

/** Copies a text, and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" className={styles.copy} onClick={copy}>
      {isCopied ? 'Copied' : label}
      <span role="status" className="for-screen-readers">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** An id whose middle is left out; a click copies the whole. */
export function Id({ id }: { id: string }) {
  const { isCopied, copy } = useCopy(id);
  const short = id.length > 13 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
  return (
    <button
      type="button"
      className={styles.id}
      onClick={copy}
      title={`Copy ${id}`}
      aria-label={isCopied ? 'Copied' : `Copy the id ${id}`}
    >
      {isCopied ? 'Copied' : short}
    </button>
  );
}

/** A command or a piece of code, with a button that copies it. */
export function Snippet({ code }: { code: string }) {
  return (
    <div className={styles.snippet}>
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} />
    </div>
  );
}

function useCopy(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return {
    isCopied,
    copy: () => void navigator.clipboard.writeText(text).then(() => setCopied(true)),
  };
}
