import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { readAll } from '../../api/all.ts';
import { type AnswerFile, readAnswers } from './answer-file.ts';
import { answerColumns, type FieldMapping, matchAnswers } from './match-answers.ts';

/** A file of answers that was chosen, and the testcases of its rows. */
export function useAnswers(
  testset: { id: string; fieldMapping: FieldMapping } | undefined,
  where: string | undefined,
) {
  const [file, setFile] = useState<AnswerFile>();
  const [problem, setProblem] = useState<string>();
  const reading = useRef<AbortController>(undefined);
  useEffect(() => () => reading.current?.abort(), []);
  const testcases = useTestcases(file && testset?.id, where);
  const mapping = testset?.fieldMapping;
  const matching = useMemo(
    () =>
      file && mapping && testcases.data ? matchAnswers(file, testcases.data, mapping) : undefined,
    [file, mapping, testcases.data],
  );
  return {
    file,
    problem,
    matching,
    testcases,
    columns: file && matching && mapping && answerColumns(file, matching, mapping),
    read: async (chosen: File) => {
      reading.current?.abort();
      reading.current = new AbortController();
      const { signal } = reading.current;
      setProblem(undefined);
      try {
        const read = await readAnswers(chosen, signal);
        if (!signal.aborted) setFile(read);
      } catch (error) {
        if (!signal.aborted) setProblem((error as Error).message);
      }
    },
    forget: () => {
      reading.current?.abort();
      setFile(undefined);
      setProblem(undefined);
    },
  };
}

export type Answers = ReturnType<typeof useAnswers>;

/** All testcases of a testset that have this data, page by page. */
const useTestcases = (testsetId: string | undefined, where: string | undefined) =>
  useQuery({
    queryKey: ['all testcases', testsetId, where],
    queryFn: async ({ signal }) => {
      const { data } = await readAll('/testsets/:testsetId/testcases', {
        params: { testsetId: testsetId! },
        query: where === undefined ? {} : { where },
        signal,
      });
      return data;
    },
    enabled: testsetId !== undefined,
    gcTime: 0,
  });
