/** registries.conf as far as the MCO's rule needs it. */
interface Registries {
  readonly search: readonly string[];
  readonly registries: ReadonlyMap<string, Registry>;
}

interface Registry {
  readonly settings: ReadonlyMap<string, Value>;
  readonly mirrors: readonly ReadonlyMap<string, Value>[];
}

type Value = string | boolean | readonly string[];

/** True if a change of registries.conf only adds, so that no node is drained for it. The MCO's rule: every registry
 *  keeps its settings, every mirror stays, and additions serve by digest only. What is not understood is not safe. An
 *  old MCO that does not know `pull-from-mirror` does not write it either. Source: MCO
 *  isSafeContainerRegistryConfChanges. */
export function addsDigestMirrorsOnly(before: string, after: string): boolean {
  const old = parseRegistries(before);
  const now = parseRegistries(after);
  if (old === undefined || now === undefined) return false;
  if (old.search.some((each, index) => now.search[index] !== each)) return false;
  if ([...old.registries.keys()].some((scope) => !now.registries.has(scope))) return false;
  return [...now.registries].every(([scope, registry]) => isSafe(old.registries.get(scope), registry));
}

function isSafe(before: Registry | undefined, after: Registry): boolean {
  if (before === undefined) return after.mirrors.length > 0 && after.mirrors.every(isDigestOnly);
  const keepsSettings = isEqual(before.settings, after.settings);
  const [were, are] = [before, after].map(({ mirrors }) => new Set(mirrors.map(contentOf)));
  const keepsMirrors = [...(were ?? [])].every((mirror) => are?.has(mirror));
  const added = after.mirrors.filter((mirror) => !were?.has(contentOf(mirror)));
  return keepsSettings && keepsMirrors && added.every(isDigestOnly);
}

function isDigestOnly(mirror: ReadonlyMap<string, Value>): boolean {
  return mirror.get('pull-from-mirror') === 'digest-only';
}

function isEqual(left: ReadonlyMap<string, Value>, right: ReadonlyMap<string, Value>): boolean {
  return contentOf(left) === contentOf(right);
}

/** The same for the same settings, whatever their order. */
function contentOf(table: ReadonlyMap<string, Value>): string {
  return JSON.stringify([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The subset of TOML that the MCO writes: tables `[[registry]]` and `[[registry.mirror]]`, strings, booleans and lists
 *  of strings. Undefined for anything else, whose meaning is unknown. */
function parseRegistries(text: string): Registries | undefined {
  const top = new Map<string, Value>();
  const registries: { settings: Map<string, Value>; mirrors: Map<string, Value>[] }[] = [];
  let table = top;
  for (const line of statements(text)) {
    if (line === '[[registry]]') {
      table = new Map();
      registries.push({ settings: table, mirrors: [] });
    } else if (line === '[[registry.mirror]]') {
      const registry = registries[registries.length - 1];
      if (registry === undefined) return undefined;
      table = new Map();
      registry.mirrors.push(table);
    } else if (!readSetting(line, table)) return undefined;
  }
  return assemble(top, registries);
}

function assemble(top: ReadonlyMap<string, Value>, list: readonly Registry[]): Registries | undefined {
  const { 'unqualified-search-registries': search = [], ...rest } = Object.fromEntries(top);
  const isKnown = Object.entries(rest).every(([key, value]) => key === 'short-name-mode' && typeof value === 'string');
  if (!isKnown || typeof search === 'boolean' || typeof search === 'string') return undefined;
  const registries = new Map(list.map((registry) => [scopeOf(registry), registry] as const));
  return registries.size === list.length && !registries.has('') ? { search, registries } : undefined;
}

function scopeOf({ settings }: Registry): string {
  const prefix = settings.get('prefix');
  const location = settings.get('location');
  if (typeof prefix === 'string' && prefix !== '') return prefix;
  return typeof location === 'string' ? location : '';
}

/** Lines with content; a list that spans lines is one statement. */
function statements(text: string): readonly string[] {
  const found: string[] = [];
  let open: string[] = [];
  for (const raw of text.split('\n')) {
    const line = withoutComment(raw).trim();
    if (line === '') continue;
    const isList = open.length > 0 || /=\s*\[/.test(line);
    open.push(line);
    if (isList && !line.endsWith(']')) continue;
    found.push(open.join(' '));
    open = [];
  }
  return open.length === 0 ? found : [...found, open.join(' ')];
}

/** A `#` inside quotes starts no comment. */
function withoutComment(line: string): string {
  return /^(?:[^#"']|"[^"\\]*"|'[^']*')*/.exec(line)?.[0] ?? line;
}

function readSetting(line: string, table: Map<string, Value>): boolean {
  const equals = line.indexOf('=');
  const key = line.slice(0, Math.max(equals, 0)).trim();
  const value = readValue(line.slice(equals + 1).trim());
  if (!/^[a-z-]+$/.test(key) || value === undefined || table.has(key)) return false;
  table.set(key, value);
  return true;
}

function readValue(text: string): Value | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!text.startsWith('[')) return readString(text);
  if (!text.endsWith(']')) return undefined;
  const inner = text.slice(1, -1).trim().replace(/,$/, '');
  if (inner === '') return [];
  const parts = inner.split(',').map((part) => readString(part.trim()));
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? known : undefined;
}

/** Without escapes: no host name needs one. */
function readString(text: string): string | undefined {
  return /^"([^"\\]*)"$/.exec(text)?.[1] ?? /^'([^']*)'$/.exec(text)?.[1];
}
