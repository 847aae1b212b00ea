import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import type { ValuesFile } from '../../../functions/core/clustergroup/group.ts';
import { isMap, plainValue, type Values } from '../../../functions/core/clustergroup/values.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';

/** Bytes. The largest of 116 public files has 40 KB. */
const largest = 4 * 1024 * 1024;

/** A values file; undefined: there is none of this path. Throws Misconfigured for one that cannot be read. */
export async function readValuesFile(path: string, shown: string): Promise<ValuesFile | undefined> {
  const text = await textOf(path, shown);
  return text === undefined ? undefined : { path: shown, values: parseValues(text, shown) };
}

async function textOf(path: string, shown: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > largest) throw new Misconfigured([`${shown}: is larger than ${largest} bytes`]);
    return bytes.toString('utf8');
  } catch (cause) {
    if (cause instanceof Misconfigured) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Misconfigured([`${shown}: cannot be read`], { cause });
  }
}

/** YAML as Helm reads it: version 1.1, in which yes, no, on and off are booleans, without dates and base 60. Throws
 *  Misconfigured. */
function parseValues(text: string, shown: string): Values {
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    logLevel: 'silent',
    customTags: (tags) =>
      tags.filter(
        (tag) =>
          typeof tag === 'string' ||
          (tag.tag !== 'tag:yaml.org,2002:timestamp' && !('format' in tag && tag.format === 'TIME')),
      ),
  });
  const [error] = document.errors;
  if (error !== undefined) throw new Misconfigured([`${shown}: ${error.message.split('\n')[0]?.replace(/:$/, '')}`]);
  const values = plainValue(dataOf(() => document.toJS({ maxAliasCount: 100 }), shown));
  if (values === null) return {};
  if (!isMap(values)) throw new Misconfigured([`${shown}: must be a map of values, nested at most 64 deep`]);
  return values;
}

function dataOf(read: () => unknown, shown: string): unknown {
  try {
    return read();
  } catch (cause) {
    throw new Misconfigured([`${shown}: cannot be read: ${cause instanceof Error ? cause.message : 'its aliases'}`], {
      cause,
    });
  }
}
