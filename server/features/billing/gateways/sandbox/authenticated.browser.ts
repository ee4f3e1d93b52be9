// This script runs in the frame of the bank's 3-D Secure check after the user has answered it.
window.parent.postMessage({ type: 'authenticated' }, window.location.origin)
