import { useEffect, useState } from 'react';
import styles from './copy.module.css';

/** Copies a text, or the one that a function gives at that moment, and says so. */
export function CopyButton({
  text,
  label = 'Copy',
  title,
}: {
  text: string | (() => string);
  label?: string;
  title?: string;
}) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" className={styles.copy} onClick={copy} title={title}>
      {isCopied ? 'Copied' : label}
      <span role="status" className="for-screen-readers">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** Copies the address of the page: whoever opens it sees the same. */
export const CopyLink = () => (
  <CopyButton
    text={() => location.href}
    label="Copy link"
    title="Members of your organization who open it see what you see"
  />
);

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
      aria-label={isCopied ? 'Copied' : `Copy the id ${short}`}
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

function useCopy(text: string | (() => string)): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return {
    isCopied,
    copy: () => {
      const copied = typeof text === 'string' ? text : text();
      void navigator.clipboard.writeText(copied).then(() => setCopied(true));
    },
  };
}
