import { createHash } from 'node:crypto';

/** The one script of the page: it keeps the page current without reloading it, so that opened details, focus, selection
 *  and scroll position stay; adds buttons that copy commands, and local times. Without it the page is whole and reloads
 *  itself. It takes nothing from the page but its own markup, and asks nobody but the page's own origin.
 *  It asks for the page every so often; where changes are told (server-sent events), as soon as there is one, and every
 *  so often only while nothing is heard. A page in the background hangs up: a browser has six connections to a host.
 *  Plain JavaScript of browsers of the last three years. */
export const liveScript = `(() => {
const main = document.getElementById('main');
const asof = document.querySelector('.asof');
const news = document.getElementById('news');
const every = Number(main.dataset.refresh) * 1000;
const told = main.dataset.changes;
let shown = main.dataset.version;
let shownAt = Date.now();
let source;
let heard = false;
let looking = false;
const withoutFigures = (text) => text.replace(/\\d+/g, '#').trim();
const keysOf = (root, selector) => {
  const seen = new Map();
  return [...root.querySelectorAll(selector)].map((element) => {
    const label = element.tagName === 'DETAILS' ? element.querySelector('summary').textContent : element.textContent;
    const place = element.closest('[id]');
    const key = [element.tagName, place === null ? '' : place.id, withoutFigures(label)].join(' ');
    const count = (seen.get(key) || 0) + 1;
    seen.set(key, count);
    return [key + ' ' + count, element];
  });
};
const focusable = 'a[href], summary, button, pre[tabindex]';
const addCopy = (root) => {
  for (const block of root.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.textContent).then(
        () => { button.textContent = 'Copied'; },
        () => { button.textContent = 'Select and copy it'; },
      );
    });
    block.after(button);
  }
};
const two = (number) => String(number).padStart(2, '0');
const localTime = (at) => [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
const localDate = (at) => [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
const addLocalTimes = (root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.getAttribute('datetime'));
    if (Number.isNaN(at.getTime())) continue;
    time.title = at.toLocaleString() + ' (your time)';
    if (at.getTimezoneOffset() === 0 || !time.textContent.endsWith(' UTC')) continue;
    const date = localDate(at);
    const local = document.createElement('time');
    local.className = 'local';
    local.dateTime = at.toISOString();
    local.title = time.title;
    local.textContent = '(' + (at.toISOString().startsWith(date) ? '' : date + ' ') + localTime(at) + ' local)';
    time.after(' ', local);
  }
};
const dress = (root) => { addCopy(root); addLocalTimes(root); };
const showTitle = (next) => {
  document.title = next.title;
  document.querySelector('link[rel=icon]').href = next.querySelector('link[rel=icon]').getAttribute('href');
};
const isSelecting = () => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode);
};
const show = (next) => {
  const opened = new Map(keysOf(main, 'details').map(([key, element]) => [key, element.open]));
  const focused = keysOf(main, focusable).find(([, element]) => element === document.activeElement);
  const from = [scrollX, scrollY];
  const sentence = main.querySelector('h1').textContent;
  main.replaceChildren(...next.getElementById('main').childNodes);
  dress(main);
  for (const [key, element] of keysOf(main, 'details')) if (opened.has(key)) element.open = opened.get(key);
  const again = focused && keysOf(main, focusable).find(([key]) => key === focused[0]);
  if (again) again[1].focus({ preventScroll: true });
  scrollTo(...from);
  asof.replaceChildren(...next.querySelector('.asof').childNodes);
  asof.classList.remove('alarm');
  addLocalTimes(asof);
  showTitle(next);
  shown = next.getElementById('main').dataset.version;
  shownAt = Date.now();
  const said = main.querySelector('h1').textContent;
  if (said !== sentence) news.textContent = said;
};
const fail = (why) => {
  asof.classList.add('alarm');
  if (asof.querySelector('.failing') === null) {
    const note = document.createElement('span');
    note.className = 'failing';
    note.textContent = 'Not current: ' + why + '. ';
    asof.prepend(note);
  }
};
const look = async () => {
  if (looking) return;
  looking = true;
  try {
    const signal = AbortSignal.timeout(10000);
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store', signal });
    if (answer.status === 401) { location.reload(); return; }
    const text = await answer.text();
    const next = new DOMParser().parseFromString(text, 'text/html');
    if (next.getElementById('main') === null) fail('Poolkeeper answered ' + answer.status);
    else if (isSelecting()) { showTitle(next); fail('it waits while text is selected'); }
    else show(next);
  } catch {
    fail('Poolkeeper does not answer');
  } finally {
    looking = false;
  }
};
const listen = () => {
  if (told === undefined || document.hidden) return;
  if (source !== undefined && source.readyState !== 2) return;
  source = new EventSource(told);
  source.onmessage = ({ data }) => {
    heard = true;
    if (data !== shown) look();
  };
  source.onerror = () => { heard = false; };
};
const hang = () => {
  if (source !== undefined) source.close();
  source = undefined;
  heard = false;
};
dress(document);
if (every > 0) {
  const goOn = () => setTimeout(async () => {
    if (!heard || Date.now() - shownAt >= 60000) await look();
    heard = false;
    listen();
    goOn();
  }, every);
  goOn();
  listen();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hang();
    else listen();
    look();
  });
}
})();
`;

/** For the Content-Security-Policy: allows this script and no other. */
export const liveHash = `sha256-${createHash('sha256').update(liveScript).digest('base64')}`;
