/** Offers a new version of the app. */
export type OfferUpdate = (install: () => void) => void;

/**
 * Registers the service worker, which keeps the app's files for a start without a network. A new version waits until its
 * user agrees (`install`) or the app is started the next time.
 */
export async function watchForUpdates(offer: OfferUpdate): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    return;
  }
  const registration = await navigator.serviceWorker.register('./service-worker.js', { scope: './' });
  const offerWaiting = (): void => {
    const { waiting } = registration;
    // Without a controller it is the first version, which needs no consent.
    if (waiting !== null && navigator.serviceWorker.controller !== null) {
      offer(() => {
        install(waiting);
      });
    }
  };
  offerWaiting();
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', offerWaiting);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      // Fails without a network, and is tried again the next time.
      registration.update().catch(() => undefined);
    }
  });
}

function install(waiting: ServiceWorker): void {
  navigator.serviceWorker.addEventListener(
    'controllerchange',
    () => {
      location.reload();
    },
    { once: true },
  );
  waiting.postMessage({ type: 'install' });
}
