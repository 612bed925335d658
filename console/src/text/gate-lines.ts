/**
 * The lines of a CI that gate a branch (docs/gate-in-ci.md). The key is in the secrets of the CI,
 * and never here.
 */
const command = 'npx --yes "$ASSAY_URL/sdk/assay.tgz" gate';

/** A job of GitHub Actions. `url` is the address of this server. */
export const gateOfGitHub = (url: string): string => `# .github/workflows/assay.yml
on: pull_request
permissions: { contents: read, pull-requests: write }
jobs:
  assay:
    runs-on: ubuntu-latest
    env:
      ASSAY_URL: ${url}
      ASSAY_API_KEY: \${{ secrets.ASSAY_API_KEY }}
      GITHUB_TOKEN: \${{ github.token }}
      BRANCH: \${{ github.head_ref }}
    steps:
      - uses: actions/checkout@v4
      # Your evaluation stands here: it makes the run of this branch.
      - run: ${command} --github --comment github --baseline branch:main --candidate "branch:$BRANCH"`;

/** A job of GitLab CI. */
export const gateOfGitLab = (url: string): string => `# .gitlab-ci.yml
assay:
  image: node:20-slim
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    ASSAY_URL: ${url}
  script:
    # Your evaluation stands here: it makes the run of this branch.
    - ${command} --comment gitlab --baseline branch:main --candidate "branch:$CI_COMMIT_REF_NAME"`;
