import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences (SPDX ids) that a part of what we ship may have: all of them let anybody use and pass it on in a
 *  work under Apache-2.0. A licence that is not here is a person's decision, not this program's. */
export const allowedLicences: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** A package that is installed for production, also as a dependency of a dependency. */
export interface Shipped {
  readonly name: string;
  readonly version: string;
  /** SPDX expression of its package.json; empty when it names none. */
  readonly licence: string;
}

/** What is in `node_modules` for production, by the lockfile. Throws when something of it is not installed. */
export function shippedPackages(root: string): readonly Shipped[] {
  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(fieldsOf(fieldsOf(lock)['packages'])).flatMap(([path, entry]) => {
    const { dev, devOptional, optional } = fieldsOf(entry);
    if (path === '' || dev === true || devOptional === true) return [];
    const manifest = manifestIn(join(root, path), optional === true);
    return manifest === undefined ? [] : [shippedOf(path, manifest)];
  });
}

/** Whether the expression lets us choose nothing but allowed licences: each part of an AND, one part of an OR. */
export function isAllowed(expression: string): boolean {
  const inner = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(inner)) return false;
  return inner.split(/ OR /i).some((choice) => choice.split(/ AND /i).every((id) => allowedLicences.has(id.trim())));
}

/** Optional packages are left out on machines that they are not for. */
function manifestIn(folder: string, mayBeAbsent: boolean): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch (cause) {
    if (mayBeAbsent) return undefined;
    throw cause;
  }
}

function shippedOf(path: string, manifest: unknown): Shipped {
  const { version, license } = fieldsOf(manifest);
  return {
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: String(version),
    licence: typeof license === 'string' ? license : String(fieldsOf(license)['type'] ?? ''),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** What `npm audit` knows of the packages we ship. `unknown`: the registry has no such service, or did not answer. */
export type Advisories =
  | { readonly kind: 'known'; readonly grave: number; readonly others: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** Reads the JSON report of `npm audit`. */
export function readAdvisories(report: string): Advisories {
  const fields = fieldsOf(parsed(report));
  const counts = fieldsOf(fieldsOf(fields['metadata'])['vulnerabilities']);
  if (fields['auditReportVersion'] === undefined || Object.keys(counts).length === 0)
    return {
      kind: 'unknown',
      why: String(fields['message'] ?? 'it gave no report').replace(/ - [A-Z]+ https?:.*$/, ''),
    };
  const count = (...levels: readonly string[]) => levels.reduce((sum, level) => sum + Number(counts[level] ?? 0), 0);
  return { kind: 'known', grave: count('high', 'critical'), others: count('info', 'low', 'moderate') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function auditReport(root: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('npm', ['audit', '--omit=dev', '--json'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(text));
  });
}

/** The command: exit status 1 for a licence that is not allowed or a grave advisory. */
async function main(root: string): Promise<number> {
  const shipped = shippedPackages(root);
  const refused = shipped.filter(({ licence }) => !isAllowed(licence));
  for (const { name, version, licence } of refused)
    console.error(
      `${name} ${version}: licence ${licence === '' ? 'unknown' : licence} is not on the list in local/audit.ts`,
    );
  console.log(`licences: ${shipped.length - refused.length} of ${shipped.length} production packages are allowed`);

  const advisories = readAdvisories(await auditReport(root));
  if (advisories.kind === 'unknown') {
    console.log(`advisories: not checked, the registry offers none (${advisories.why})`);
    return refused.length > 0 ? 1 : 0;
  }
  console.log(`advisories: ${advisories.grave} high or critical, ${advisories.others} others (npm audit --omit=dev)`);
  return refused.length + advisories.grave > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(join(import.meta.dirname, '..'));
