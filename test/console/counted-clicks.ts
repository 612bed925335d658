import type { Locator } from 'playwright-core';

/** The clicks of a person who does a task. Keys that are typed are none. */
export interface CountedClicks {
  readonly count: number;
  click(target: Locator): Promise<void>;
  /** Types into a field: a click, unless it has the focus. */
  fill(field: Locator, text: string): Promise<void>;
  /** Opens a choice, and takes one of its options. */
  select(choice: Locator, option: string): Promise<void>;
  /** Opens the dialog of the system that chooses files; clicks in it are not the console's. */
  chooseFile(input: Locator, file: { name: string; content: string }): Promise<void>;
}

/** Counts clicks, so that a test says how many a task takes. */
export function countedClicks(): CountedClicks {
  let count = 0;
  return {
    get count() {
      return count;
    },
    async click(target) {
      count += 1;
      await target.click();
    },
    async fill(field, text) {
      await field.waitFor();
      const isFocused = (await field.and(field.page().locator(':focus')).count()) > 0;
      if (!isFocused) count += 1;
      await field.fill(text);
    },
    async select(choice, option) {
      count += 2;
      await choice.selectOption(option);
    },
    async chooseFile(input, { name, content }) {
      count += 1;
      await input.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
    },
  };
}
