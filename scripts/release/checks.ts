import { unreleasedPart } from './changelog.ts';
import { Refusal } from './refusal.ts';

interface ReleaseState {
  version: string;
  /** The version of the last release. */
  current: string;
  /** Files that are not committed. */
  changes: string[];
  tags: string[];
  changelog: string;
}

/** @throws Refusal where the release cannot be made. */
export function checkRelease({ version, current, changes, tags, changelog }: ReleaseState): void {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version))
    throw new Refusal('Name the version as three numbers: npm run release -- 1.2.3');
  if (!isNewer(version, current))
    throw new Refusal(
      `${version} is not newer than ${current}, which is released: name a higher version.`,
    );
  if (tags.includes(`v${version}`))
    throw new Refusal(
      `The tag v${version} exists: name a higher version, or delete the tag if it was never published (git tag --delete v${version}).`,
    );
  if (changes.length > 0)
    throw new Refusal(
      `Commit or stash your changes first, since a release is made of a commit: ${changes.join(', ')}.`,
    );
  const part = unreleasedPart(changelog);
  if (part === undefined)
    throw new Refusal(
      'CHANGELOG.md has no unreleased part: say under the heading "## Not released yet" what has changed.',
    );
  if (part.version !== undefined && part.version !== version)
    throw new Refusal(
      `CHANGELOG.md prepares ${part.version}: release that version, or change the heading.`,
    );
}

function isNewer(version: string, current: string): boolean {
  const [own, other] = [version, current].map((each) => each.split('.').map(Number));
  const differing = own!.findIndex((number, index) => number !== other![index]);
  return differing >= 0 && own![differing]! > other![differing]!;
}
