"""What each provider's deliveries mean."""
