import { readFile } from 'node:fs/promises';
import { Configuration } from '../../core/configuration/configuration.ts';
import { Misconfigured } from '../../core/text/errors.ts';

/** Reads the configuration that `prepare` checked and wrote. It needs no YAML parser, so that none is in a bundle.
 *  Throws Misconfigured when the file is missing or was written by another version. */
export async function loadConfiguration(path: string): Promise<Configuration> {
  const parsed = Configuration.safeParse(parseJson(await textOf(path)));
  if (parsed.success) return parsed.data;
  throw new Misconfigured(
    parsed.error.issues.map(
      (issue) => `prepared configuration: ${issue.path.join('.')}: ${issue.code}; prepare it again`,
    ),
  );
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Misconfigured(['prepared configuration: the file named by POOLKEEPER_CONFIG cannot be read'], { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Misconfigured(['prepared configuration: the file is not JSON; prepare it again']);
  }
}
