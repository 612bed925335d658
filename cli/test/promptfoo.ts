/** A results file of promptfoo of so many tests, by two providers. */
export const promptfoo = (count: number) => ({
  evalId: `eval-${count}`,
  results: {
    version: 3,
    results: Array.from({ length: 2 * count }, (_, index) => ({
      testIdx: index >> 1,
      promptIdx: index % 2,
      vars: { question: `${index >> 1}?` },
      provider: { id: `model-${index % 2}` },
      prompt: { raw: 'p', label: 'p' },
      response: { output: `${index}!` },
      success: index % 3 === 0,
      score: (index % 3) / 2,
    })),
  },
});
