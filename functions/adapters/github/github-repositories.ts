import * as z from 'zod';
import { belowAnyOf, byFolder } from '../../core/routing/by-folder.ts';
import {
  type ChangedFile,
  type ChangedPaths,
  type FilesRead,
  isManifestFile,
  type ObservedFile,
  type ToolFolder,
  toolsOfEntry,
} from '../../core/routing/changed-file.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import { unique } from '../../core/text/unique.ts';
import type { ChangeQuestion, Repositories, RepositoryPaths } from '../../ports/repositories.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import { referencesIn } from '../yaml/references-in.ts';
import { type GitEntry, gitTrees } from './git-trees.ts';
import { githubAnswers } from './github-answers.ts';
import type { GithubAuthorization } from './github-authorization.ts';
import { githubCommits } from './github-commits.ts';
import { unsaidWait } from './github-http.ts';
import { githubLimits, type RequestsLeft } from './github-limits.ts';
import { placeOf } from './repository-paths.ts';
import { changedPaths, movedFolders, type TwoListings, twoListings } from './two-listings.ts';

export interface GithubRepositoriesOptions {
  readonly api: string;
  readonly authorization: GithubAuthorization;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly limits?: Partial<ReadLimits>;
}

/** Limits of one question. */
export interface ReadLimits {
  /** Milliseconds for the whole question. */
  readonly totalMs: number;
  /** Milliseconds for one request. */
  readonly requestMs: number;
  /** Parallel requests: GitHub throttles callers with many. */
  readonly parallel: number;
  /** Files whose contents are read. */
  readonly files: number;
  /** Bytes. */
  readonly fileBytes: number;
  /** Bytes of all files together. */
  readonly totalBytes: number;
  /** Bytes of one answer. */
  readonly answerBytes: number;
  /** Listing requests for a repository that is too large for one. */
  readonly listings: number;
}

const defaultReadLimits: ReadLimits = {
  totalMs: 8_000,
  requestMs: 5_000,
  parallel: 8,
  files: 500,
  fileBytes: 10 * 1024 * 1024,
  totalBytes: 32 * 1024 * 1024,
  answerBytes: 24 * 1024 * 1024,
  listings: 200,
};

const Blob = z.object({ content: z.string(), encoding: z.literal('base64') });

const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const repositoryName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
/** Kustomization files that are read for their references, and places that they may lead to. */
const kustomizationsAtMost = 60;
const placesAtMost = 2_000;

/** Reads the difference between two commits by GitHub's REST API: two listings, and the contents of the files that
 *  differ and may be manifests. Contents are kept no longer than the answer takes; of listings, names and object ids
 *  are cached for cheap conditional requests. */
export function githubRepositories(options: GithubRepositoriesOptions): Repositories & RepositoryPaths {
  const limits = { ...defaultReadLimits, ...options.limits };
  const rate = githubLimits(options.clock);
  const bounds = { timeoutMs: limits.requestMs, answerAtMost: limits.answerBytes };
  const ask = githubAnswers({ ...options, ...bounds, limits: rate });
  const list = gitTrees(ask);

  /** Merge base of a new branch and the default one: the best substitute for its missing `before`. */
  async function mergeBase(repository: string, commit: string, signal: AbortSignal): Promise<string> {
    const commits = githubCommits(ask, () => signal);
    const about = await commits.about(repository);
    if (about === undefined) throw new Transient('GitHub has no such repository, or it may not be read');
    const base = await commits.mergeBase(repository, about.defaultBranch, commit);
    if (base === undefined) throw new Transient('GitHub cannot compare the new branch with the default one');
    return base;
  }

  async function readBlob(repository: string, { sha, size = 0 }: GitEntry, signal: AbortSignal): Promise<ObservedFile> {
    if (size > limits.fileBytes) return unread('it is larger than 10 MB');
    const answer = await ask(repository, { path: `/git/blobs/${sha}`, shape: Blob, what: 'file', signal });
    return answer.kind === 'answer' ? decoded(answer.body.content) : unread('GitHub no longer has it');
  }

  async function readAll(question: ChangeQuestion, signal: AbortSignal): Promise<FilesRead> {
    const { fullName, before, after } = question;
    const isNew = isZeros(before);
    const from = isNew ? await mergeBase(fullName, after, signal) : before;
    const folders = question.folders?.map(placeOf);
    const listings = await twoListings({ list, repository: fullName, from, to: after, folders, signal, ...limits });
    const paths = changedPaths(listings);
    const { files, shortForSeconds } = shareOf(limits.files, rate.left(fullName));
    const read = (entry: GitEntry) => readBlob(fullName, entry, signal);
    const contents = reader({ listings, limits: { ...limits, files }, shortForSeconds, read, signal });
    const [changed, tools] = await Promise.all([
      contents.files(inOrder(paths, folders ?? [])),
      toolsOf(listings, { repository: fullName, folders: folders ?? [] }, contents.content),
    ]);
    const incomplete = isNew ? 'the branch is new: its previous state is unknown' : listings.incomplete;
    const keptBackSeconds = contents.keptBackSeconds();
    return { files: changed, tools, folders: movedFolders(listings, paths), incomplete, ...given({ keptBackSeconds }) };
  }

  async function listPaths({ fullName, before, after }: ChangeQuestion, signal: AbortSignal): Promise<ChangedPaths> {
    const comparing = { list, repository: fullName, from: before, to: after, folders: [], signal };
    const listings = await twoListings({ ...comparing, listings: limits.listings });
    const paths = changedPaths(listings);
    const moved = movedFolders(listings, paths);
    const incomplete = listings.incomplete ?? (moved ? undefined : 'a path is too long');
    return { paths, vanished: moved?.vanished ?? [], incomplete };
  }

  /** What keeps GitHub from being read is part of the answer. */
  async function orUnread<Read>(
    question: ChangeQuestion,
    read: (question: ChangeQuestion, signal: AbortSignal) => Promise<Read>,
    unreadFor: (why: string) => Read,
  ): Promise<Read> {
    const wrong = whatIsWrong(question);
    if (wrong !== undefined) return unreadFor(wrong);
    const timeout = options.deadline(limits.totalMs);
    try {
      return await read(question, timeout);
    } catch (cause) {
      if (timeout.aborted) return unreadFor('GitHub took too long');
      if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
      return { ...unreadFor(cause.message), ...given({ keptBackSeconds: waitOf(cause, timeout) }) };
    }
  }

  return {
    readChange: (question) => orUnread(question, readAll, (why) => nothingRead(question, why)),
    readPaths: (question) => orUnread(question, listPaths, noPaths),
  };
}

/** Of the requests that are left for the hour one push has a tenth: all repositories share them, and whoever pushes
 *  much, and often, leaves some to the others. */
const shareOfPush = 0.1;
/** Files that are read of any push. */
const filesAtLeast = 20;
/** Of the files that a new hour would let it read: with more it is read as far as it ever is. */
const shareThatIsShort = 0.9;

interface Share {
  readonly files: number;
  /** Seconds until there is a larger one; undefined: there is none. */
  readonly shortForSeconds: number | undefined;
}

function shareOf(most: number, left: RequestsLeft | undefined): Share {
  const files = filesFor(most, left?.requests);
  const isShort = files < shareThatIsShort * filesFor(most, left?.ofHour);
  return { files, shortForSeconds: isShort ? left?.resetSeconds : undefined };
}

function filesFor(most: number, requests: number | undefined): number {
  return requests === undefined ? most : Math.min(most, Math.max(filesAtLeast, Math.floor(requests * shareOfPush)));
}

/** Untrusted input is validated before it becomes part of an address. */
function whatIsWrong({ fullName, before, after }: ChangeQuestion): string | undefined {
  if (!repositoryName.test(fullName)) return 'the name of the repository is not valid at GitHub';
  if (!commitId.test(before) || !commitId.test(after)) return 'the push names no commits';
  if (isZeros(after)) return 'the branch was deleted';
  return undefined;
}

function isZeros(commit: string): boolean {
  return /^0+$/.test(commit);
}

function nothingRead({ paths = [] }: ChangeQuestion, why: string): FilesRead {
  const files = paths.map((path): ChangedFile => ({ path, before: unread(why), after: unread(why) }));
  return { files, tools: [], incomplete: why };
}

function noPaths(why: string): ChangedPaths {
  return { paths: [], vanished: [], incomplete: why };
}

/** Seconds; undefined: it was neither a rate limit nor a bad moment of the server. Where our own time is over, what
 *  was asked for may be too much. */
function waitOf(cause: Transient | Misconfigured, { aborted }: AbortSignal): number | undefined {
  if (!(cause instanceof Transient)) return undefined;
  if (cause.kind === 'busy') return cause.retryAfterSeconds ?? 0;
  return cause.kind === 'unreachable' && !aborted ? unsaidWait : undefined;
}

function unread(why: string): ObservedFile {
  return { kind: 'unread', why };
}

/** Base64 with line breaks; content with a zero byte or invalid UTF-8 is no manifest. */
function decoded(content: string): ObservedFile {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.includes(0)) return unread('it is not text');
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unread('it is not UTF-8 text');
  }
}

/** Files in the requested folders first, in case not everything can be read. */
function inOrder(paths: readonly string[], folders: readonly string[]): readonly string[] {
  const isAsked = belowAnyOf(folders);
  const { asked = [], others = [] } = Object.groupBy(paths, (path) => (isAsked(path) ? 'asked' : 'others'));
  return [...asked, ...others];
}

interface Reading {
  readonly listings: TwoListings;
  readonly limits: ReadLimits;
  readonly shortForSeconds: Share['shortForSeconds'];
  readonly signal: AbortSignal;
  readonly read: (entry: GitEntry) => Promise<ObservedFile>;
}

/** Reads contents within the limits, each object once: a moved file has one content. */
function reader({ listings, limits, shortForSeconds, read, signal }: Reading) {
  const known = new Map<string, Promise<ObservedFile>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let filesLeft = limits.files;
  let bytesLeft = limits.totalBytes;
  let waitSeconds: number | undefined;
  const wait = (seconds: number | undefined) => {
    if (seconds !== undefined) waitSeconds = Math.max(waitSeconds ?? 0, seconds);
  };

  /** Runs `work` as soon as fewer than `limits.parallel` others run. */
  async function turn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= limits.parallel) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }

  function content(entry: GitEntry): Promise<ObservedFile> {
    const reading = known.get(entry.sha);
    if (reading !== undefined) return reading;
    filesLeft -= 1;
    bytesLeft -= entry.size ?? 0;
    if (filesLeft < 0 || bytesLeft < 0) {
      if (bytesLeft >= 0) wait(shortForSeconds);
      return Promise.resolve(unread('more files changed than are read of one push'));
    }
    const begun = turn(() => read(entry)).catch((cause: unknown) => {
      if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
      wait(waitOf(cause, signal));
      return unread(cause.message);
    });
    known.set(entry.sha, begun);
    return begun;
  }

  function observedOf(entry: GitEntry | undefined, path: string): Promise<ObservedFile> {
    if (entry === undefined || entry.kind === 'folder') return Promise.resolve({ kind: 'absent' });
    if (entry.kind === 'link') return Promise.resolve(unread('it is a symbolic link'));
    if (entry.kind === 'submodule') return Promise.resolve(unread('it is a submodule'));
    if (!isManifestFile(path)) return Promise.resolve(unread('by its name it is not a manifest'));
    return content(entry);
  }

  return {
    content,
    /** Of what was read so far. */
    keptBackSeconds: () => waitSeconds,
    files: (paths: readonly string[]): Promise<readonly ChangedFile[]> =>
      Promise.all(
        paths.map(async (path) => {
          const [before, after] = await Promise.all([
            observedOf(listings.before.get(path), path),
            observedOf(listings.after.get(path), path),
          ]);
          return { path, before, after };
        }),
      ),
  };
}

/** The folders that are asked for, and where they are. */
interface Place {
  /** `owner/name`. */
  readonly repository: string;
  readonly folders: readonly string[];
}

/** Folders in which a tool such as Kustomize or Helm is used, at either commit. */
async function toolsOf(
  { before, after }: TwoListings,
  place: Place,
  read: (entry: GitEntry) => Promise<ObservedFile>,
): Promise<readonly ToolFolder[]> {
  const found = new Map<string, ToolFolder>();
  const kustomizations = new Map<string, GitEntry[]>();
  for (const [path, entry] of [...before, ...after]) {
    if (entry.kind === 'folder') continue;
    for (const tool of toolsOfEntry(path, entry.kind)) {
      found.set(`${tool.tool} ${tool.folder}`, tool);
      if (tool.tool === 'kustomize' && entry.kind === 'file')
        kustomizations.set(tool.folder, [...(kustomizations.get(tool.folder) ?? []), entry]);
    }
  }
  const uses = await usesOf(kustomizations, place, read);
  return [...found.values()].map((tool) =>
    tool.tool === 'kustomize' && uses.has(tool.folder) ? { ...tool, uses: uses.get(tool.folder) } : tool,
  );
}

/** The folders that a kustomization refers to, by its own folder: for the requested folders and those that they refer
 *  to, and so on. */
async function usesOf(
  kustomizations: ReadonlyMap<string, readonly GitEntry[]>,
  { repository, folders }: Place,
  read: (entry: GitEntry) => Promise<ObservedFile>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const uses = new Map<string, readonly string[]>();
  const asked = new Set(folders);
  const looked = new Set<string>();
  const own = byFolder([...kustomizations.keys()], (folder) => folder);
  for (const place of asked) {
    if (asked.size > folders.length + placesAtMost) return uses;
    for (const folder of own.within(place).filter((each) => !looked.has(each))) {
      if (looked.size >= kustomizationsAtMost) return uses;
      looked.add(folder);
      const observations = await Promise.all((kustomizations.get(folder) ?? []).map(read));
      const references = observations.map((observed) =>
        observed.kind === 'text' ? referencesIn(observed.text, repository) : undefined,
      );
      if (references.some((each) => each === undefined)) continue;
      const places = references.flatMap((each) => (each ?? []).map((reference) => placeOf(`${folder}/${reference}`)));
      uses.set(folder, unique(places));
      for (const each of places) asked.add(each);
    }
  }
  return uses;
}
