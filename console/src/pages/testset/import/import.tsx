import { useQuery } from '@tanstack/react-query';
import { describeFormat } from '../../../files/format.ts';
import { Button } from '../../../parts/button.tsx';
import { FileChoice } from '../../../parts/files/file-choice.tsx';
import { formatBytes, visible } from '../../../text/format.ts';
import type { Testset } from '../fields.ts';
import styles from '../testset.module.css';
import { ImportFile } from './import-file.tsx';
import { OtherTool } from './other-tool.tsx';
import { sampleOf } from './sample.ts';

/** Makes testcases of a file: it is read in pieces, checked, and then sent. */
export function Import({
  testset,
  file,
  setFile,
}: {
  testset: Testset;
  file: File | undefined;
  setFile: (file: File | undefined) => void;
}) {
  const sample = useQuery({
    queryKey: ['sample of a file', file?.name, file?.size, file?.lastModified],
    queryFn: () => sampleOf(file!),
    enabled: file !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!file) return <TableChoice choose={setFile} />;
  return (
    <div className={styles.import}>
      <div className={styles.file}>
        <p>
          <strong>{visible(file.name)}</strong> · {formatBytes(file.size)}
          {sample.data && ` · ${describeFormat(sample.data.format)}`}
        </p>
        <Button kind="quiet" onClick={() => setFile(undefined)}>
          Another file
        </Button>
      </div>
      <OtherTool file={file} />
      {sample.error && (
        <p role="alert" className={styles.problem}>
          {sample.error.message}
        </p>
      )}
      {sample.data && sample.data.columns.length === 0 && (
        <p role="alert" className={styles.problem}>
          There is nothing in the file that could be a testcase.
        </p>
      )}
      {sample.data && sample.data.columns.length > 0 && (
        <ImportFile
          // A file that is chosen anew begins anew, even under the same name.
          key={`${file.name} ${file.size} ${file.lastModified}`}
          testset={testset}
          file={file}
          sample={sample.data}
        />
      )}
    </div>
  );
}

function TableChoice({ choose }: { choose: (file: File) => void }) {
  return (
    <FileChoice title="Import a file">
      <p>
        Drop it anywhere on this page, or choose it: a table with commas, tabs or semicolons and a
        header line, a JSON array, or JSON lines. It may be hundreds of megabytes.
      </p>
      <input
        type="file"
        aria-label="File"
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) choose(file);
        }}
      />
    </FileChoice>
  );
}
