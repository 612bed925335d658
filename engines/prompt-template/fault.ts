/**
 * A fault of a template, and its offset in the text. The message continues a sentence that starts
 * with the template's name.
 */
export interface Fault {
  at: number;
  message: string;
}

export const isFault = (outcome: object): outcome is Fault => 'message' in outcome;
