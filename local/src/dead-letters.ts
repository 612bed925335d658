import { printable } from '@assay/client/printable';
import { table } from '@assay/client/table';
import { grouped } from '@assay/contracts/fields';
import type { Bus } from '@assay/runtime/bus/bus';
import { type DeadLetter, openDeadLetters } from '@assay/runtime/bus/dead-letters';
import { Refusal } from './refusal.ts';

/** The newest are listed. */
const listedMax = 100;

/**
 * Lists the dead letters of an installation, or shows those with these numbers, or sends them again.
 * @throws Refusal for a number that no letter has, and for a message that its stream had lately.
 */
export async function handleDeadLetters(
  bus: Bus,
  { words, sendAgain, tell }: { words: string[]; sendAgain: boolean; tell: (line: string) => void },
): Promise<void> {
  const letters = await openDeadLetters(bus);
  const all = words.length === 0 || words.includes('all') ? await letters.numbers() : [];
  if (words.length === 0) {
    const found = await Promise.all(all.slice(-listedMax).map(letters.find));
    for (const line of listOf(found.flatMap((letter) => letter ?? []))) tell(line);
    if (all.length > listedMax) tell(`and ${grouped(all.length - listedMax)} older ones`);
    return;
  }
  for (const number of words.includes('all') ? all : words.map(numberOf)) {
    if (sendAgain) {
      checkSent(number, await letters.sendAgain(number));
      tell(`Dead letter ${number} was sent again.`);
    } else {
      const letter = await letters.find(number);
      for (const line of letter ? whole(letter) : none(number)) tell(line);
    }
  }
}

function numberOf(word: string): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new Refusal(
    `${printable(word)} is no number of a dead letter: \`dead-letters\` lists them.`,
  );
}

function none(number: number): never {
  throw new Refusal(`There is no dead letter ${number}.`);
}

function checkSent(number: number, outcome: 'sent' | 'dropped' | 'missing'): void {
  if (outcome === 'missing') none(number);
  if (outcome === 'dropped')
    throw new Refusal(
      `The message of dead letter ${number} came within the last two minutes, and would be dropped as a repeat: try again later.`,
    );
}

function listOf(letters: DeadLetter[]): string[] {
  if (letters.length === 0) return ['There are no dead letters.'];
  return table({
    columns: [
      { title: 'NUMBER', align: 'right' },
      { title: 'TIME', align: 'left' },
      { title: 'MESSAGE', align: 'left' },
      { title: 'ORGANIZATION', align: 'left' },
      { title: 'ATTEMPTS', align: 'right' },
      { title: 'REASON', align: 'left', canShrink: true },
    ],
    rows: letters.map(({ number, time, message, organizationId, attempts, reason }) => [
      String(number),
      time.toISOString().slice(0, 19),
      message,
      organizationId || '–',
      String(attempts),
      printable(reason),
    ]),
    widthMax: process.stdout.columns ?? Infinity,
  });
}

const whole = (letter: DeadLetter): string[] => [
  `Dead letter ${letter.number} of ${letter.time.toISOString()}`,
  `Message: ${letter.message}`,
  `Organization: ${letter.organizationId || '–'}`,
  `Attempts: ${letter.attempts}`,
  `Reason: ${printable(letter.reason)}`,
  `Payload: ${printable(letter.payload)}`,
];
