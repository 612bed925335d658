import { type FilterLanguage, oneValue } from '../../parts/filter/language.ts';

/** The filters of a testset's testcases, as the URL has them. */
export interface CaseState {
  q?: string | undefined;
  invalid?: 'true' | undefined;
}

/** Everything that testcases can be filtered by. */
export const caseLanguage: FilterLanguage<CaseState> = {
  kinds: [
    {
      ...oneValue<CaseState>('invalid', {
        key: 'is',
        name: 'Testcases',
        values: [{ value: 'invalid' }],
      }),
      valuesIn: ({ invalid }) => (invalid ? ['invalid'] : []),
      add: () => ({ invalid: 'true' }),
    },
  ],
  text: { parameter: 'q', name: 'Text', charactersMax: 256 },
};
