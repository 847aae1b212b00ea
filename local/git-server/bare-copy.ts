import { join } from 'node:path';
import type { Commit, GitPush, GitRepository, ReceivedCommit } from '../openshift/argocd/git-repository.ts';
import { runGit } from './git-program.ts';

/** A simulated repository as a real one on disk, which Git serves. What is pushed to either of them comes to the other.
 *  One branch, the default one, has what both have; other branches only come from the real one. */
export class BareCopy {
  private readonly repository: GitRepository;
  private readonly folder: string;
  /** Ids of the commits that both have; those of the simulated host are not those that Git gives them. */
  private readonly known = new Set<string>();

  private constructor(repository: GitRepository, folder: string) {
    this.repository = repository;
    this.folder = folder;
  }

  /** In a folder of its own below `root`. Throws GitFailed. */
  static async create(repository: GitRepository, root: string): Promise<BareCopy> {
    const folder = join(root, repository.owner, `${repository.name}.git`);
    await runGit({ args: ['init', '--quiet', '--bare', `--initial-branch=${repository.defaultBranch}`, folder] });
    const copy = new BareCopy(repository, folder);
    for (const [key, value] of Object.entries(settings)) await copy.git(['config', key, value]);
    return copy;
  }

  /** Adds what was pushed to the simulated repository since the last time. Throws GitFailed. */
  async bring(): Promise<void> {
    const { defaultBranch } = this.repository;
    for (const commit of this.repository.log(defaultBranch)) {
      if (this.known.has(commit.id)) continue;
      const parent = (await this.heads()).get(defaultBranch);
      await this.git(['fast-import', '--quiet'], importOf(commit, { branch: defaultBranch, parent }));
      this.known.add(commit.id);
    }
  }

  /** Runs what lets Git receive a push, and brings what came to the simulated repository: one push a branch.
   *  Throws GitFailed, and what `run` throws. */
  async receive<T>(run: () => Promise<T>): Promise<{ readonly answer: T; readonly pushes: readonly GitPush[] }> {
    await this.bring();
    const before = await this.heads();
    const answer = await run();
    const pushes: GitPush[] = [];
    for (const [branch, after] of await this.heads()) {
      if (before.get(branch) === after) continue;
      const from = before.get(branch) ?? before.get(this.repository.defaultBranch);
      pushes.push(this.repository.receive(branch, await this.commitsBetween(from, after)));
    }
    return { answer, pushes };
  }

  private async heads(): Promise<ReadonlyMap<string, string>> {
    const listed = await this.git(['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads']);
    return new Map(lines(listed).map((line) => pairOf(line, ' ')));
  }

  private async commitsBetween(before: string | undefined, after: string): Promise<readonly ReceivedCommit[]> {
    const range = before === undefined ? [after] : [`${before}..${after}`];
    const listed = await this.git(['rev-list', '--reverse', '--first-parent', ...range]);
    const commits: ReceivedCommit[] = [];
    for (const id of lines(listed)) {
      commits.push(await this.commit(id));
      this.known.add(id);
    }
    return commits;
  }

  private async commit(id: string): Promise<ReceivedCommit> {
    const shown = await this.git(['show', '--no-patch', '--format=%an%x00%ae%x00%cI%x00%B', id]);
    const [name = '', email = '', at = '', message = ''] = shown.toString().split('\0');
    const timestamp = new Date(at).toISOString();
    return { id, author: { name, email }, timestamp, message: message.trimEnd(), files: await this.filesAt(id) };
  }

  private async filesAt(id: string): Promise<ReadonlyMap<string, string>> {
    const listed = (await this.git(['ls-tree', '-r', '-z', id])).toString().split('\0');
    const files = new Map<string, string>();
    for (const entry of listed.filter((each) => each !== '')) {
      const [about, path] = pairOf(entry, '\t');
      const [, type, blob = ''] = about.split(' ');
      if (type === 'blob') files.set(path, (await this.git(['cat-file', 'blob', blob])).toString());
    }
    return files;
  }

  private git(args: readonly string[], input?: Uint8Array): Promise<Buffer> {
    return runGit({ args: ['-C', this.folder, ...args], ...(input && { input }) });
  }
}

/** Histories are not rewritten and branches not deleted: the simulated host knows neither from outside. */
const settings = {
  'http.receivepack': 'true',
  'receive.denyNonFastForwards': 'true',
  'receive.denyDeletes': 'true',
};

/** Source: git-fast-import(1), "commit". */
function importOf(
  { message, author, timestamp, files }: Commit,
  { branch, parent }: { readonly branch: string; readonly parent: string | undefined },
): Buffer {
  const who = `${author.name} <${author.email}> ${Math.floor(Date.parse(timestamp) / 1000)} +0000`;
  return Buffer.concat([
    Buffer.from(`commit refs/heads/${branch}\nauthor ${who}\ncommitter ${who}\n`),
    dataOf(`${message}\n`),
    Buffer.from(`${parent === undefined ? '' : `from ${parent}\n`}deleteall\n`),
    ...[...files].flatMap(([path, content]) => [Buffer.from(`M 100644 inline ${path}\n`), dataOf(content)]),
  ]);
}

function dataOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function lines(written: Buffer): readonly string[] {
  return written
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

/** What stands before and after the first separator. */
function pairOf(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
