// What the pages of the documentation do with script: the search, one choice of a language for all
// examples, copying, and the address under which the reader came. Without it, they can be read all
// the same.

const root = new URL(document.currentScript.dataset.root, location.href);

applyTheme();
fillAddress();
rememberLanguage();
addCopyButtons();
createSearch();

/** Follows the theme that was chosen in the console of the same address. */
function applyTheme() {
  const theme = storage()?.getItem('assay.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}

/** A browser may refuse all storage. */
function storage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** Writes the address under which the reader came into the examples: the server may not know it. */
function fillAddress() {
  const address = new URL('..', root).href.replace(/\/$/, '');
  for (const place of document.querySelectorAll('[data-base]')) place.textContent = address;
}

function rememberLanguage() {
  const choices = [...document.querySelectorAll('.tabs input')];
  choose(storage()?.getItem('assay.docs.language'));
  for (const choice of choices)
    choice.addEventListener('change', () => {
      const before = choice.getBoundingClientRect().top;
      choose(choice.value);
      storage()?.setItem('assay.docs.language', choice.value);
      // Examples above may have become longer: what the reader looks at stays where it is.
      scrollBy({ top: choice.getBoundingClientRect().top - before, behavior: 'instant' });
    });

  function choose(language) {
    for (const choice of choices) if (choice.value === language) choice.checked = true;
  }
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const bar of document.querySelectorAll('.snippets .tabs, .answer .title')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const shown = [...bar.parentElement.querySelectorAll('pre')].find((pre) => pre.offsetParent);
      await navigator.clipboard.writeText(shown.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    bar.append(button);
  }
}

function createSearch() {
  const search = document.getElementById('search');
  const query = document.getElementById('query');
  const found = document.getElementById('found');
  let entries;
  search.hidden = false;

  query.addEventListener('focus', load);
  query.addEventListener('input', async () => {
    await load();
    show();
  });
  search.addEventListener('focusout', ({ relatedTarget }) => {
    if (!search.contains(relatedTarget)) found.hidden = true;
  });
  search.addEventListener('keydown', (event) => {
    const links = [...found.querySelectorAll('a')];
    const place = links.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      found.hidden = true;
      query.focus();
    } else if (event.key === 'Enter' && event.target === query) {
      links[0]?.click();
    } else if (event.key === 'ArrowDown' && !found.hidden) {
      event.preventDefault();
      links[Math.min(place + 1, links.length - 1)]?.focus();
    } else if (event.key === 'ArrowUp' && place >= 0) {
      event.preventDefault();
      (links[place - 1] ?? query).focus();
    }
  });
  found.addEventListener('click', () => {
    found.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches('input:not([type=radio]), textarea')) return;
    event.preventDefault();
    query.focus();
  });

  function load() {
    entries ??= fetch(new URL('search.json', root)).then((reply) => reply.json());
    return entries;
  }

  async function show() {
    const words = wordsOf(query.value);
    const matches = bestOf(await entries, words);
    found.hidden = words.length === 0;
    const list = document.createElement('ul');
    for (const { title, of, path } of matches) {
      const link = document.createElement('a');
      link.href = new URL(path, root).href;
      const place = document.createElement('span');
      place.textContent = of;
      link.append(title, place);
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    const status = document.createElement('p');
    status.setAttribute('role', 'status');
    status.textContent =
      matches.length === 0 ? 'Nothing has all of these words.' : `${matches.length} found`;
    found.replaceChildren(status, ...(matches.length > 0 ? [list] : []));
  }
}

/** The words of a text: `createRun` and `/runs/{runId}` are several. */
function wordsOf(text) {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The entries that have a word that begins with each word of the query, best first. */
function bestOf(entries, words) {
  if (words.length === 0) return [];
  return entries
    .map((entry, index) => ({ entry, index, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.index - b.index)
    .slice(0, 20)
    .map(({ entry }) => entry);
}

/** How well an entry fits: words of its title count more, and whole ones; 0 where one is missing. */
function rankOf({ title, of }, words) {
  const ofTitle = wordsOf(title);
  const ofPlace = wordsOf(of);
  let rank = 0;
  for (const word of words) {
    const best = Math.max(0, 4 * fitOf(word, ofTitle), fitOf(word, ofPlace));
    if (best === 0) return 0;
    rank += best;
  }
  // A shape comes after the operation that has it.
  return (rank + 1 / (1 + ofTitle.length)) * (of === 'Shape' ? 0.7 : 1);
}

function fitOf(word, words) {
  if (words.includes(word)) return 2;
  if (words.some((other) => other.startsWith(word))) return 1;
  return words.some((other) => other.startsWith(stemOf(word))) ? 0.5 : 0;
}

/** `compare` finds comparisons, and comparing, too. */
const stemOf = (word) => (word.length < 5 ? word : word.replace(/(ing|ed|es|s|e)$/, ''));
