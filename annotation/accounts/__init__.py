"""Who may act: users and the access keys of the Requester API. Both sides of the wall may use it; it knows neither."""
