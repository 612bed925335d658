import { choose as chooseNamed, LookupFailure, type NamedItem } from '@assay/client/named';
import { AssayError } from './failure.ts';

/** Finds an item of a list by its id or its name. @throws AssayError with the nearest names. */
export function choose<Item extends NamedItem>({
  items,
  kind,
  wanted,
}: {
  items: readonly Item[];
  /** The item in the sentences: "testset". */
  kind: string;
  wanted: string;
}): Item {
  try {
    return chooseNamed(items, { kind, wanted });
  } catch (error) {
    throw error instanceof LookupFailure ? new AssayError(error.message) : error;
  }
}
