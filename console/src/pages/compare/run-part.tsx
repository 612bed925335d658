import { partOfRun } from '@assay/client/part-of-run';
import { useReading } from '../../api/query.ts';

/** The part of its testset that a run is over, after its name; nothing for a run over all of it. */
export function RunPart({ runId }: { runId: string }) {
  const { data } = useReading('/runs/:runId', { params: { runId } });
  const part = data && partOfRun(data);
  return part ? <> {part}</> : null;
}
