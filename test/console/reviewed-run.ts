import { expect } from 'vitest';
import type { Call } from '../system/installation.ts';
import { uploadRecords } from '../system/records.ts';

/** A run whose records wait for people: "Answer 0", "Answer 1" and so on, oldest first. */
export async function newReview(call: Call, { records = 3, metrics = [{}] as object[] } = {}) {
  const done = async (...request: Parameters<Call>) => {
    const reply = await call(...request);
    expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
    return reply.body;
  };
  const project = await done('POST', '/projects', { name: 'Reviewed', description: '' });
  const metricIds: string[] = [];
  for (const metric of metrics) {
    const { id } = await done('POST', `/projects/${project.id}/metrics`, {
      name: 'Helpful',
      evalType: 'human',
      outputType: 'boolean',
      guidelines: '**Would it help you?**',
      ...metric,
    });
    metricIds.push(id);
  }
  const run = await done('POST', `/projects/${project.id}/runs`, { metricIds });
  const recordIds = await uploadRecords(
    call,
    run.id,
    Array.from({ length: records }, (_, index) => ({
      inputs: { question: `Question ${index}?` },
      expected: { ideal: `Ideal ${index}` },
      outputs: { answer: `Answer ${index}.` },
    })),
  );
  const scoresOf = async (index: number) =>
    (await done('GET', `/records/${recordIds[index]}`)).scores.filter(
      ({ source }: { source: string }) => source === 'human',
    );
  return {
    run,
    recordIds,
    scoresOf,
    runPath: `/projects/${project.id}/runs/${run.id}`,
    reviewPath: `/projects/${project.id}/review`,
    path: `/projects/${project.id}/review/go?run=${run.id}`,
  };
}
