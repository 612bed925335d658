/** What is wrong with a template, and at which offset of its text. The message goes on from the template's name. */
export interface Fault {
  at: number;
  message: string;
}

export const isFault = (outcome: object): outcome is Fault => 'message' in outcome;
