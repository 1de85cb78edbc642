import { useEffect, useMemo, useRef } from 'react';

type Listener = (message: string | null) => void;

/** The other tabs of this browser. */
export interface Tabs {
  readonly tell: (message: string | null) => void;
  /** @returns a function that ends it */
  readonly listen: (listener: Listener) => () => void;
}

/**
 * @param name of the channel
 * @returns the other tabs that have the console open
 */
export function useTabs(name: string): Tabs {
  const channel = useRef<BroadcastChannel>(undefined);
  const listeners = useRef(new Set<Listener>());
  useEffect(() => {
    const opened = new BroadcastChannel(name);
    channel.current = opened;
    opened.addEventListener('message', ({ data }: MessageEvent<string | null>) => {
      for (const listener of listeners.current) {
        listener(data);
      }
    });
    return () => {
      opened.close();
    };
  }, [name]);
  return useMemo(
    () => ({
      tell: (message) => channel.current?.postMessage(message),
      listen: (listener) => {
        const listening = listeners.current;
        listening.add(listener);
        return () => listening.delete(listener);
      },
    }),
    [],
  );
}
