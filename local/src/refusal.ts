/** An error that ends a command with a sentence for the operator. */
export class Refusal extends Error {}
