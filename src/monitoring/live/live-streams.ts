import { createHash } from 'node:crypto';
import type { AdministratorService } from '../../administrators/administrator-service.ts';
import { BackgroundLoop, type LoopPace } from '../../kernel/background-loop.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Overview } from '../overview/overview.ts';
import type { OverviewFacts, OverviewService } from '../overview/overview-service.ts';

/** An overview, the same for all callers of the same rights. */
export interface LiveSnapshot {
  /** A hash: two snapshots of one id show the same. */
  readonly id: string;
  readonly overview: Overview;
}

/** The reader of a stream. None of the functions waits. */
export interface LiveReader {
  /** False while the reader has not read all that was sent: nothing more is sent then. */
  readonly isReady: boolean;
  show(snapshot: LiveSnapshot): void;
  /** The state cannot be read at present. */
  unavailable(): void;
  heartbeat(): void;
  end(end: LiveEnd): void;
}

/**
 * The end of a stream by this server. `signed out`: its login has ended; `stopping`: the server; `stalled`: its reader
 * took nothing for a minute.
 */
export type LiveEnd = 'signed out' | 'stopping' | 'stalled';

/** The login that a stream belongs to. */
export interface LiveLogin {
  readonly caller: Caller;
  /** The session of the login. */
  readonly session: string;
}

/** The metrics of streams. */
export interface LiveMetrics {
  /** The number of open streams. */
  streamsAre(count: number): void;
}

/** The dependencies of streams. */
export interface LiveStreamsDependencies {
  readonly overview: Pick<OverviewService, 'facts' | 'presentRights' | 'show'>;
  readonly sessions: Pick<AdministratorService, 'findLogin'>;
  readonly metrics: LiveMetrics;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed?: () => number;
  /** Milliseconds between two readings of the state; default: 2 seconds. */
  readonly tick?: number | undefined;
  /** Milliseconds between two heartbeats, at a tick; default: 15 seconds. */
  readonly beat?: number;
  /** The longest time in which a reader may read nothing, in milliseconds; default: a minute. */
  readonly timeoutMs?: number;
}

interface Stream extends LiveLogin {
  readonly reader: LiveReader;
  nextAt: number;
  beatAt: number;
  /** Since when the reader has not been ready. */
  stalledSince: number | undefined;
  /** The snapshot that was sent last; undefined: none, or it is not known to be the present state. */
  shown: string | undefined;
  /** True if the reader knows that the state cannot be read. */
  isUnavailabilityReported: boolean;
  isServing: boolean;
}

/** A reading of the state, and the snapshots made from it. */
interface StateReading {
  readonly at: number;
  readonly facts: Promise<OverviewFacts>;
  /** By the rights. */
  readonly snapshots: Map<string, LiveSnapshot>;
  isUnderWay: boolean;
}

const TICK_MS = 2_000;
const BEAT_MS = 15_000;
const TIMEOUT_MS = 60_000;
/** The share of a tick for which a reading of the state is used again, for streams that open in between. */
const READING_SHARE = 1 / 2;
/** The rest while no stream is open; the next one ends it. */
const IDLE_MS = 600_000;
/** The longest wait of `end` for a reading that is under way, in milliseconds. */
const LAST_READ_TIMEOUT_MS = 500;
/** Characters of a snapshot's id: 132 bits in base64url. */
const ID_LENGTH = 22;

/**
 * Streams of overviews from this process: one reading of the state serves all of them, and one snapshot all of the same
 * rights. Each tick asks again whether the login is open and which rights it has: docs/adr/0030-overview-and-live-stream.md.
 */
export class LiveStreams {
  readonly #deps: LiveStreamsDependencies;
  readonly #elapsed: () => number;
  readonly #tick: number;
  readonly #streams = new Set<Stream>();
  readonly #loop = new BackgroundLoop((pace) => this.#turn(pace), LAST_READ_TIMEOUT_MS);
  #reading: StateReading | undefined;
  #isStarted = false;
  #isEnded = false;

  constructor(dependencies: LiveStreamsDependencies) {
    this.#deps = dependencies;
    this.#elapsed = dependencies.elapsed ?? (() => performance.now());
    this.#tick = dependencies.tick ?? TICK_MS;
  }

  /**
   * Begins a stream, whose first snapshot follows at once.
   * @returns a function to be called when the reader has left; it has no effect later
   */
  open(login: LiveLogin, reader: LiveReader): () => void {
    if (this.#isEnded) {
      reader.end('stopping');
      return () => undefined;
    }
    const now = this.#elapsed();
    const stream: Stream = {
      caller: login.caller,
      session: login.session,
      reader,
      nextAt: now,
      beatAt: now + this.#beat,
      stalledSince: undefined,
      shown: undefined,
      isUnavailabilityReported: false,
      isServing: false,
    };
    this.#streams.add(stream);
    this.#count();
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#loop.start();
    }
    this.#loop.wake();
    return () => {
      this.#leave(stream);
    };
  }

  /** Ends all streams at once, and each later one. */
  async end(): Promise<void> {
    this.#isEnded = true;
    for (const stream of this.#streams) {
      this.#finish(stream, 'stopping');
    }
    await this.#loop.stop();
  }

  get #beat(): number {
    return this.#deps.beat ?? BEAT_MS;
  }

  async #turn({ restUntilWoken }: LoopPace): Promise<void> {
    const now = this.#elapsed();
    for (const stream of this.#streams) {
      if (now >= stream.nextAt) {
        stream.nextAt = this.#tickAfter(now + this.#tick);
        this.#keepAlive(stream, now);
        // A stream that waits for the database does not delay the heartbeats of the others.
        void this.#serve(stream);
      }
    }
    await restUntilWoken(this.#rest());
  }

  /** @returns the first moment from `time` on at which all streams have a tick */
  #tickAfter(time: number): number {
    return Math.ceil(time / this.#tick) * this.#tick;
  }

  #keepAlive(stream: Stream, now: number): void {
    if (stream.reader.isReady) {
      stream.stalledSince = undefined;
      if (now >= stream.beatAt) {
        stream.beatAt = now + this.#beat;
        stream.reader.heartbeat();
      }
      return;
    }
    stream.stalledSince ??= now;
    if (now - stream.stalledSince >= (this.#deps.timeoutMs ?? TIMEOUT_MS)) {
      this.#finish(stream, 'stalled');
    }
  }

  async #serve(stream: Stream): Promise<void> {
    if (stream.isServing) {
      return;
    }
    stream.isServing = true;
    try {
      const login = await this.#deps.sessions.findLogin(stream.session);
      const { principal, requestId } = stream.caller;
      if (login?.administrator !== principal.administrator) {
        this.#finish(stream, 'signed out');
        return;
      }
      const groups = login.groups === undefined ? {} : { groups: login.groups };
      this.#show(stream, await this.#snapshotFor({ principal: { ...principal, ...groups }, requestId }));
    } catch {
      this.#reportFault(stream);
    } finally {
      stream.isServing = false;
    }
  }

  #show(stream: Stream, snapshot: LiveSnapshot): void {
    stream.isUnavailabilityReported = false;
    if (this.#streams.has(stream) && stream.reader.isReady && stream.shown !== snapshot.id) {
      stream.shown = snapshot.id;
      stream.reader.show(snapshot);
    }
  }

  /** Reports the fault once. The next snapshot is then sent even if it shows no change. */
  #reportFault(stream: Stream): void {
    stream.shown = undefined;
    if (this.#streams.has(stream) && stream.reader.isReady && !stream.isUnavailabilityReported) {
      stream.isUnavailabilityReported = true;
      stream.reader.unavailable();
    }
  }

  async #snapshotFor(caller: Caller): Promise<LiveSnapshot> {
    const { overview } = this.#deps;
    const rights = await overview.presentRights(caller);
    const { facts, snapshots } = this.#presentReading();
    const state = await facts;
    const key = JSON.stringify(rights);
    const known = snapshots.get(key);
    if (known !== undefined) {
      return known;
    }
    const shown = overview.show(state, rights);
    const snapshot = { id: hashOf(shown), overview: shown };
    snapshots.set(key, snapshot);
    return snapshot;
  }

  /** One reading at a time: a database that is slow is not asked more often by clients that come again. */
  #presentReading(): StateReading {
    const now = this.#elapsed();
    const known = this.#reading;
    if (known !== undefined && (known.isUnderWay || now - known.at < this.#tick * READING_SHARE)) {
      return known;
    }
    const reading = { at: now, facts: this.#deps.overview.facts(), snapshots: new Map(), isUnderWay: true };
    const end = (): void => {
      reading.isUnderWay = false;
    };
    reading.facts.then(end, end);
    this.#reading = reading;
    return reading;
  }

  /** @returns milliseconds until the next tick of a stream */
  #rest(): number {
    const next = [...this.#streams].reduce(
      (soonest, { nextAt }) => Math.min(soonest, nextAt),
      this.#elapsed() + IDLE_MS,
    );
    return Math.max(1, Math.ceil(next - this.#elapsed()));
  }

  #finish(stream: Stream, end: LiveEnd): void {
    if (this.#leave(stream)) {
      stream.reader.end(end);
    }
  }

  /** @returns false if it has left before */
  #leave(stream: Stream): boolean {
    const isOpen = this.#streams.delete(stream);
    if (isOpen) {
      this.#count();
    }
    return isOpen;
  }

  #count(): void {
    this.#deps.metrics.streamsAre(this.#streams.size);
  }
}

function hashOf(overview: Overview): string {
  return createHash('sha256').update(JSON.stringify(overview)).digest('base64url').slice(0, ID_LENGTH);
}
