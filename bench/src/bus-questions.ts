import type { Installation } from './setting.ts';

/**
 * How many questions are asked on the bus meanwhile; the gateway's own, one for a key in 30 s,
 * belong to no request.
 */
export async function countBusQuestions(
  { bus }: Installation,
  work: () => Promise<unknown>,
): Promise<number> {
  let count = 0;
  const { connection, options } = bus;
  const heard = connection.subscribe(`${options.prefix}.question.>`, {
    callback: (_error, { subject }) => {
      if (!subject.startsWith(`${options.prefix}.question.identity.`)) count++;
    },
  });
  await connection.flush();
  await work();
  await connection.flush();
  heard.unsubscribe();
  return count;
}
