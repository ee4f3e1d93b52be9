export function PayPanel(_: { offer: unknown; episodeCount: number; onPaid: () => void }) { return <p style={{position:'absolute',top:100}}>locked</p> }
