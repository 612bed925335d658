/**
 * Asks once for all who want the same while an answer is on its way: they wait for it, and then share the answer to one question more,
 * which is put after they came, so that nobody gets an answer older than its own request. Where different things are wanted at the same
 * time, `gather` makes one question of them.
 */
export function createSharedAnswers<Answer>() {
  const underWay = new Map<string, { answer: Promise<Answer>; next?: Promise<Answer> }>();

  function start(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked: { answer: Promise<Answer>; next?: Promise<Answer> } = { answer: ask() };
    underWay.set(key, asked);
    const forget = () => {
      if (!asked.next) underWay.delete(key);
    };
    asked.answer.then(forget, forget);
    return asked.answer;
  }

  return function shareAnswer(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked = underWay.get(key);
    if (!asked) return start(key, ask);
    const askNext = () => start(key, ask);
    asked.next ??= asked.answer.then(askNext, askNext);
    return asked.next;
  };
}
