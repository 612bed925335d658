import { useEffect, useState } from 'react';

/** A file that somebody chose or dropped. */
export interface PickedFile {
  /** Its path from the top of the chosen folder, with `/`. */
  name: string;
  file: File;
}

/** Files that were chosen or dropped together: one, several, or those of a folder. */
export interface PickedFiles {
  /** Of the folder, or of the first file. */
  name: string;
  files: PickedFile[];
}

/** The files of a file input, of which one for folders tells the paths. */
export function pickedBy(input: HTMLInputElement): PickedFiles | undefined {
  const files = [...(input.files ?? [])];
  const folder = files[0]?.webkitRelativePath.split('/')[0];
  return pickedOf(
    files.map((file) => ({
      name: file.webkitRelativePath ? withoutTop(file.webkitRelativePath) : file.name,
      file,
    })),
    folder,
  );
}

const withoutTop = (path: string): string => path.slice(path.indexOf('/') + 1);

/** Files whose names begin with a point belong to the system, and are none of a folder. */
function pickedOf(files: PickedFile[], folder?: string): PickedFiles | undefined {
  const shown = files.filter(({ name }) => !/(^|\/)\./.test(name));
  const sorted = shown.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return sorted[0] && { name: folder || sorted[0].name, files: sorted };
}

/** Takes files that are dropped anywhere on the page. Returns whether something is dragged over it. */
export function useDrop(take: (picked: PickedFiles) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      void droppedBy(event.dataTransfer!).then((picked) => picked && take(picked));
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  });
  return isOver;
}

/** The files that were dropped, and those of the folders that were. */
async function droppedBy({ items, files }: DataTransfer): Promise<PickedFiles | undefined> {
  // Entries are there only until the event is over.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return pickedOf([...files].map((file) => ({ name: file.name, file })));
  const [only, ...others] = entries;
  const isFolder = only!.isDirectory && others.length === 0;
  const found = (await Promise.all(entries.map(filesOf))).flat();
  return pickedOf(
    found.map(({ name, file }) => ({ name: isFolder ? withoutTop(name) : name, file })),
    isFolder ? only!.name : undefined,
  );
}

async function filesOf(entry: FileSystemEntry): Promise<PickedFile[]> {
  const name = entry.fullPath.replace(/^\//, '');
  if (entry.isFile)
    return [
      {
        name,
        file: await new Promise<File>((resolve, reject) =>
          (entry as FileSystemFileEntry).file(resolve, reject),
        ),
      },
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: PickedFile[] = [];
  for (;;) {
    // A reader gives a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    found.push(...(await Promise.all(some.map(filesOf))).flat());
  }
}
