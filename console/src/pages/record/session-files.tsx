import type { ItemOf } from '@assay/client/operations';
import { useEffect, useState } from 'react';
import { download } from '../../api/download.ts';
import { useList } from '../../api/list.ts';
import { request, send } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { formatBytes, visible } from '../../text/format.ts';
import { pictureTypes } from '../../text/pictures.ts';
import styles from './record.module.css';

type Attachment = ItemOf<'/sessions/:sessionId/attachments'>;

/** Pictures are shown up to a size that a browser draws at once. */
const pictureBytesMax = 10 * 1024 * 1024;
/** Files that are listed at first, and more at each wish. */
const shownStep = 50;

/** The committed files of the session that the record was made with. */
export function SessionFiles({ sessionId }: { sessionId: string }) {
  const list = useList('/sessions/:sessionId/attachments', { params: { sessionId } });
  const [most, setMost] = useState(shownStep);
  const files = Array.from({ length: Math.min(most, list.rows) }, (_, row) =>
    list.itemAt(row),
  ).filter((file) => file !== undefined);
  return (
    <section className={styles.people} aria-label="Session files">
      <h2>Session files</h2>
      <p className={styles.hint}>Session {visible(sessionId)}</p>
      {list.error && <Problem error={list.error} retry={list.retry} />}
      {!list.isLoading && !list.error && list.rows === 0 && <p>The session has no files.</p>}
      <ul className={styles.files}>
        {files.map((file) => (
          <File key={file.id} file={file} />
        ))}
      </ul>
      {(most < list.rows || !list.isComplete) && list.rows > 0 && (
        <Button
          onClick={() => {
            setMost(most + shownStep);
            list.show(0, most + shownStep);
          }}
        >
          Show more
        </Button>
      )}
    </section>
  );
}

function File({ file: { id, filename, filePath, contentType, sizeBytes } }: { file: Attachment }) {
  const name = visible(filename ?? filePath);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [picture, setPicture] = useState<string>();
  useEffect(() => {
    if (picture) return () => URL.revokeObjectURL(picture);
  }, [picture]);
  const isPicture =
    pictureTypes.includes(contentType ?? '') && (sizeBytes ?? Infinity) <= pictureBytesMax;
  const act = (work: (url: string) => Promise<void> | void) => () => {
    setBusy(true);
    setError(undefined);
    downloadUrlOf(id)
      .then(work)
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <li>
      <span>
        {name}{' '}
        <span className={styles.hint}>
          {contentType && visible(contentType)}
          {sizeBytes !== null && ` · ${formatBytes(sizeBytes)}`}
        </span>
      </span>
      <span className={styles.tools}>
        <Button
          kind="quiet"
          isBusy={isBusy}
          aria-label={`Download ${name}`}
          onClick={act(download)}
        >
          Download
        </Button>
        {isPicture && (
          <Button
            kind="quiet"
            isBusy={isBusy}
            aria-pressed={picture !== undefined}
            aria-label={`Show ${name}`}
            onClick={
              picture
                ? () => setPicture(undefined)
                : act(async (url) => setPicture(await pictureAt(url, contentType!)))
            }
          >
            Show
          </Button>
        )}
      </span>
      {picture && <img src={picture} alt={name} />}
      {error && <Problem error={error} />}
    </li>
  );
}

/** The signed URL of a file's bytes; made for each use, since it works for a short time. */
async function downloadUrlOf(attachmentId: string): Promise<string> {
  const { downloadUrl } = await request('GET', '/attachments/:attachmentId', {
    params: { attachmentId },
  });
  if (downloadUrl === null) throw new Error('The file has no content any more.');
  return downloadUrl;
}

/** A picture as a `blob:` of a type that runs nothing, whatever the bytes are. */
async function pictureAt(url: string, type: string): Promise<string> {
  // The page may read from its own origin alone; a bucket is another.
  if (new URL(url, location.href).origin !== location.origin)
    throw new Error('The file is kept elsewhere: download it to see it.');
  const response = await send(url);
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }));
}
