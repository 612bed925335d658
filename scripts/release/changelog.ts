const heading = /^## (?:(\d+\.\d+\.\d+) \(not released yet\)|Not released yet)$/m;

/** The part of the changes that is not released; it may name the version that it prepares. */
export function unreleasedPart(changelog: string): { version: string | undefined } | undefined {
  const found = heading.exec(changelog);
  return found ? { version: found[1] } : undefined;
}

/** Gives the unreleased part of the changes its version and its date. */
export const cutChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(heading, `## ${version} (${date})`);
