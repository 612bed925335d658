import { type ReactNode, useEffect, useState } from 'react';
import { formatBytes } from '../../text/format.ts';
import { bytesOfBase64, type PictureData } from '../../text/pictures.ts';
import styles from './payload.module.css';

/**
 * A picture that a payload has in it, as a `blob:` of a type that runs nothing. Where it cannot be
 * drawn, its text stands there.
 */
export function Picture({
  picture: { type, base64 },
  children,
}: {
  picture: PictureData;
  /** Its text, as it was written. */
  children: ReactNode;
}) {
  const [drawn, setDrawn] = useState<{ url: string; bytes: number }>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const bytes = bytesOfBase64(base64);
    setBroken(bytes === undefined);
    if (!bytes) return setDrawn(undefined);
    const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
    setDrawn({ url, bytes: bytes.length });
    return () => URL.revokeObjectURL(url);
  }, [type, base64]);
  if (isBroken) return children;
  const format = type.slice('image/'.length).toUpperCase();
  return (
    <figure className={styles.picture}>
      {drawn && (
        <>
          <img src={drawn.url} alt={`${format} in the payload`} onError={() => setBroken(true)} />
          <figcaption>
            {format} · {formatBytes(drawn.bytes)}
          </figcaption>
        </>
      )}
    </figure>
  );
}
