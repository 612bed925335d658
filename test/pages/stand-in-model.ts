import { type Call, type Reply, say } from '../../services/scoring/test/mock-providers.ts';

/** Answers as the models of the pages do: one that is evaluated, and judges. */
export function answerAsModel({ body }: Call): Reply {
  const prompt = JSON.stringify(body.messages ?? body);
  const schema = body.response_format ? JSON.stringify(body.response_format) : '';
  if (schema.includes('"preferred"')) return say(preference(prompt));
  if (schema) return say({ reasoning: reasonOf(prompt), ...valuesOf(prompt) });
  return { text: answerTo(prompt) };
}

const isVague = (prompt: string) => /depends on many things|answer-wrong/.test(prompt);
const reasonOf = (prompt: string) =>
  isVague(prompt) ? 'It does not say what to do.' : 'It says what to do next.';
const valuesOf = (prompt: string) => ({ binaryScore: !isVague(prompt) });
const preference = (_prompt: string) => ({ reasoning: 'Both say the same.', preferred: 'tie' });

const capitals: Record<string, string> = {
  Italy: 'Rome',
  Norway: 'Oslo',
  Peru: 'Lima',
  Australia: 'Canberra',
  Canada: 'Ottawa',
  Kenya: 'Nairobi',
  Thailand: 'Bangkok',
  Turkey: 'Istanbul',
};

/** A model that says a whole sentence, unless it is asked for the name alone, and errs once. */
function answerTo(prompt: string): string {
  const [country, capital] = Object.entries(capitals).find(([name]) => prompt.includes(name)) ?? [];
  if (!country) return 'I do not know.';
  return prompt.includes('the name of the city')
    ? capital!
    : `The capital of ${country} is ${capital}.`;
}
