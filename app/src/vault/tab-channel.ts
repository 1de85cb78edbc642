/** `locked`: the user locked the vault. `changed`: a record was written. `protection`: vault made, removed, or its PIN or passkey changed. */
export type TabNews = 'locked' | 'changed' | 'protection';

const NEWS: ReadonlySet<unknown> = new Set<TabNews>(['locked', 'changed', 'protection']);

/** Tells the other tabs of this browser profile; no secret goes over it. */
export class TabChannel {
  readonly #channel: BroadcastChannel;

  constructor(name: string, onNews: (news: TabNews) => void) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isNews(data)) {
        onNews(data);
      }
    };
  }

  tell(news: TabNews): void {
    this.#channel.postMessage(news);
  }

  close(): void {
    this.#channel.close();
  }
}

function isNews(data: unknown): data is TabNews {
  return NEWS.has(data);
}
