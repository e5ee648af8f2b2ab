import { type RefObject, useLayoutEffect, useRef } from 'react';

const usable = 'button:enabled, a[href], input:enabled';

/**
 * For a button that is gone once it was used: the focus that it had goes to what can be used next to it, and not to the
 * top of the page.
 */
export function useFocusNearby(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      const gone = button.current;
      if (!gone || document.activeElement !== gone) return;
      const places: Element[] = [];
      // Another page takes the focus itself.
      for (let place = gone.parentElement; place && place.id !== 'main-content'; place = place.parentElement)
        places.push(place);
      // Once everything that goes with it is gone, too.
      queueMicrotask(() => {
        const place = places.find((place) => place.isConnected && place.querySelector(usable));
        place?.querySelector<HTMLElement>(usable)?.focus({ preventScroll: true });
      });
    },
    [],
  );
  return button;
}
